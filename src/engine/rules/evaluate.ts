/** Turns a rule's tree into closures: compiled once, run for every input. */
import { compilePattern, ruleFunctionTable } from './calls.ts';
import { binaryFunctions, index, select } from './operators.ts';
import { measureWeight, type RuleNode, ruleLimits } from './tree.ts';
import {
  Duration,
  duplicateKey,
  isList,
  isMap,
  limitReached,
  type Outcome,
  RuleError,
  type Run,
  sortedKeys,
  toDuration,
  typeMismatch,
  type Value,
} from './values.ts';

export type Step = (run: Run) => Outcome;
/** Sees every compiled node; what it answers takes the node's place. */
export type Hook = (node: RuleNode, step: Step, depth: number) => Step;

/** Compiles a checked tree. `hook` lets tracing put its own step around each node. */
export function compileTree(root: RuleNode, hook: Hook = (_, step) => step): Step {
  return compileNode(root, [], hook);
}

/** Starts the evaluation of one rule on one input. */
export function startRun(input: Value): Run {
  return { ctx: input, first: null, second: null, steps: ruleLimits.steps };
}

function compileNode(node: RuleNode, scope: readonly string[], hook: Hook): Step {
  return hook(node, plainStep(node, scope, hook), scope.length);
}

function plainStep(node: RuleNode, scope: readonly string[], hook: Hook): Step {
  const below = (child: RuleNode) => compileNode(child, scope, hook);
  switch (node.k) {
    case 'lit': {
      const value = node.v;
      return () => value;
    }
    case 'var':
      return variable(node.name, scope);
    case 'get':
      return getStep(below(node.of), node.field);
    case 'has':
      return hasStep(below(node.of), node.field);
    case 'index': {
      const of = below(node.of);
      const by = below(node.by);
      return (run) => {
        const value = of(run);
        if (value instanceof RuleError) return value;
        const key = by(run);
        return key instanceof RuleError ? key : index(value, key);
      };
    }
    case 'not': {
      const of = below(node.of);
      return (run) => {
        const value = of(run);
        if (typeof value === 'boolean') return !value;
        return value instanceof RuleError ? value : typeMismatch;
      };
    }
    case 'neg': {
      const of = below(node.of);
      return (run) => {
        const value = of(run);
        if (typeof value === 'number') return -value;
        if (value instanceof RuleError) return value;
        return value instanceof Duration ? toDuration(-value.ms) : typeMismatch;
      };
    }
    case 'and':
      return logicStep(node.args.map(below), false);
    case 'or':
      return logicStep(node.args.map(below), true);
    case 'if': {
      const test = below(node.test);
      const yes = below(node.then);
      const no = below(node.else);
      return (run) => {
        const value = test(run);
        if (typeof value === 'boolean') return value ? yes(run) : no(run);
        return value instanceof RuleError ? value : typeMismatch;
      };
    }
    case 'op': {
      const left = below(node.left);
      const right = below(node.right);
      const work = binaryFunctions[node.op];
      return (run) => {
        const a = left(run);
        if (a instanceof RuleError) return a;
        const b = right(run);
        return b instanceof RuleError ? b : work(a, b, run);
      };
    }
    case 'list':
      return listStep(node.items.map(below), (values) => values);
    case 'map':
      return mapStep(node.entries.map(([key, value]) => [below(key), below(value)]));
    case 'call': {
      if (node.fn === 'matches') return matchesStep(node.args, below);
      const work = ruleFunctionTable[node.fn];
      if (!work) throw new Error(`The tree calls an unknown function: ${node.fn}`);
      return listStep(node.args.map(below), work);
    }
    case 'each':
      return eachStep(node, scope, hook);
  }
}

function variable(name: string, scope: readonly string[]): Step {
  const slot = scope.lastIndexOf(name);
  if (slot === 0) return (run) => run.first;
  if (slot === 1) return (run) => run.second;
  return (run) => run.ctx;
}

function getStep(of: Step, field: string): Step {
  return (run) => {
    const value = of(run);
    return value instanceof RuleError ? value : select(value, field);
  };
}

function hasStep(of: Step, field: string): Step {
  return (run) => {
    const value = of(run);
    if (value instanceof RuleError) return value;
    return isMap(value) ? Object.hasOwn(value, field) : typeMismatch;
  };
}

/** `&&` (settled by false) and `||` (settled by true): a settling operand wins over errors of the others. */
function logicStep(args: readonly Step[], settles: boolean): Step {
  return (run) => {
    let error: RuleError | null = null;
    for (const arg of args) {
      const value = arg(run);
      if (value === settles) return settles;
      if (typeof value === 'boolean') continue;
      const failure = value instanceof RuleError ? value : typeMismatch;
      if (failure.kind === 'limit') return failure;
      error ??= failure;
    }
    return error ?? !settles;
  };
}

function listStep(args: readonly Step[], work: (values: readonly Value[], run: Run) => Outcome): Step {
  return (run) => {
    const values: Value[] = [];
    for (const arg of args) {
      const value = arg(run);
      if (value instanceof RuleError) return value;
      values.push(value);
    }
    return work(values, run);
  };
}

function matchesStep(args: readonly RuleNode[], below: (node: RuleNode) => Step): Step {
  const [text, pattern] = args;
  const work = pattern?.k === 'lit' && typeof pattern.v === 'string' ? compilePattern(pattern.v) : null;
  if (!work || !text) throw new Error('The tree holds a pattern that is not RE2');
  return listStep([below(text)], work);
}

function mapStep(entries: readonly (readonly [Step, Step])[]): Step {
  return (run) => {
    const map: { [key: string]: Value } = Object.create(null);
    for (const [keyStep, valueStep] of entries) {
      const key = keyStep(run);
      if (key instanceof RuleError) return key;
      const value = valueStep(run);
      if (value instanceof RuleError) return value;
      if (typeof key !== 'string') return typeMismatch;
      if (Object.hasOwn(map, key)) return duplicateKey;
      map[key] = value;
    }
    return map;
  };
}

function eachStep(node: RuleNode & { k: 'each' }, scope: readonly string[], hook: Hook): Step {
  const of = compileNode(node.of, scope, hook);
  const inner = [...scope, node.name];
  const test = node.test ? compileNode(node.test, inner, hook) : null;
  const result = node.result ? compileNode(node.result, inner, hook) : null;
  const cost = (node.test ? measureWeight(node.test) : 0) + (node.result ? measureWeight(node.result) : 0);
  const outer = scope.length === 0;
  /** Puts the next member in place; false when the steps are used up. */
  const next = (run: Run, item: Value): boolean => {
    if (outer) run.first = item;
    else run.second = item;
    run.steps -= cost;
    return run.steps >= 0;
  };
  const over = (work: (members: readonly Value[], run: Run) => Outcome): Step => {
    return (run) => {
      const value = of(run);
      if (value instanceof RuleError) return value;
      if (!isList(value) && !isMap(value)) return typeMismatch;
      const members = isList(value) ? value : sortedKeys(value);
      return members.length > ruleLimits.comprehensionElements ? limitReached : work(members, run);
    };
  };
  if (!test) return over(collect(next, null, result));
  switch (node.macro) {
    case 'all':
      return over(quantify(next, test, false));
    case 'exists':
      return over(quantify(next, test, true));
    case 'exists_one':
      return over((members, run) => {
        const found = collect(next, test, null)(members, run);
        return found instanceof RuleError ? found : isList(found) && found.length === 1;
      });
    case 'map':
    case 'filter':
      return over(collect(next, test, result));
  }
}

type Next = (run: Run, item: Value) => boolean;

function quantify(next: Next, test: Step, settles: boolean): (members: readonly Value[], run: Run) => Outcome {
  return (members, run) => {
    let error: RuleError | null = null;
    for (const member of members) {
      if (!next(run, member)) return limitReached;
      const value = test(run);
      if (value === settles) return settles;
      if (typeof value === 'boolean') continue;
      const failure = value instanceof RuleError ? value : typeMismatch;
      if (failure.kind === 'limit') return failure;
      error ??= failure;
    }
    return error ?? !settles;
  };
}

function collect(next: Next, test: Step | null, result: Step | null) {
  return (members: readonly Value[], run: Run): Outcome => {
    const values: Value[] = [];
    for (const member of members) {
      if (!next(run, member)) return limitReached;
      if (test) {
        const keep = test(run);
        if (keep instanceof RuleError) return keep;
        if (typeof keep !== 'boolean') return typeMismatch;
        if (!keep) continue;
      }
      const value = result ? result(run) : member;
      if (value instanceof RuleError) return value;
      values.push(value);
    }
    return values;
  };
}
