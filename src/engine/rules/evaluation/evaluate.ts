/** Turns a rule's tree into closures: compiled once, run for every input. */
import { ruleLimits } from '../rule-limits.ts';
import { type Macro, measureWeight, type RuleNode } from '../tree.ts';
import { compilePattern, implementations } from './calls.ts';
import { type BinaryFunction, binaryFunctions, index, select } from './operators.ts';
import {
  Duration,
  duplicateKey,
  isList,
  isMap,
  limitReached,
  listKeys,
  type Outcome,
  RuleError,
  type Run,
  toDuration,
  typeMismatch,
  type Value,
} from './values.ts';

/** One compiled node: evaluates it for one input. A failure is returned, never thrown. */
export type Step = (run: Run) => Outcome;
/** Sees every compiled node and may wrap it; `depth` counts the comprehensions around the node. */
type Hook = (node: RuleNode, step: Step, depth: number) => Step;
type CompileChild = (node: RuleNode) => Step;

/** Compiles a checked tree. `hook` lets tracing put its own step around each node. */
export function compileTree(root: RuleNode, hook: Hook = (_, step) => step): Step {
  return compileNode(root, [], hook);
}

/** Starts the evaluation of one rule on one input, for which this rule and those after it have `left` steps. */
export function startRun(input: Value, left: number = ruleLimits.maxStepsTogether): Run {
  return { ctx: input, first: null, second: null, steps: Math.min(ruleLimits.maxSteps, left) };
}

/** Returns the steps that the rules after this one have, where it and they had `left`. */
export function countStepsLeft(run: Run, left: number): number {
  return left - Math.min(ruleLimits.maxSteps, left) + Math.max(run.steps, 0);
}

/** `scope` holds the loop variables of the comprehensions around the node, the outermost first. */
function compileNode(node: RuleNode, scope: readonly string[], hook: Hook): Step {
  const compileChild = (child: RuleNode) => compileNode(child, scope, hook);
  const step = node.k === 'each' ? compileComprehension(node, scope, hook) : compileKind(node, scope, compileChild);
  return hook(node, step, scope.length);
}

function compileKind(
  node: Exclude<RuleNode, { k: 'each' }>,
  scope: readonly string[],
  compileChild: CompileChild,
): Step {
  switch (node.k) {
    case 'lit': {
      const value = node.v;
      return () => value;
    }
    case 'var':
      return compileVariable(node.name, scope);
    case 'get':
      return compileUnary(compileChild(node.of), (value) => select(value, node.field));
    case 'has':
      return compileUnary(compileChild(node.of), (value) =>
        isMap(value) ? Object.hasOwn(value, node.field) : typeMismatch,
      );
    case 'index':
      return compileBinary(compileChild(node.of), compileChild(node.by), index);
    case 'not':
      return compileUnary(compileChild(node.of), (value) => (typeof value === 'boolean' ? !value : typeMismatch));
    case 'neg':
      return compileUnary(compileChild(node.of), (value) => {
        if (typeof value === 'number') return -value;
        return value instanceof Duration ? toDuration(-value.ms) : typeMismatch;
      });
    case 'and':
      return compileLogic(node.args.map(compileChild), false);
    case 'or':
      return compileLogic(node.args.map(compileChild), true);
    case 'if':
      return compileConditional(compileChild(node.test), compileChild(node.then), compileChild(node.else));
    case 'op':
      return compileBinary(compileChild(node.left), compileChild(node.right), binaryFunctions[node.op]);
    case 'list':
      return compileArguments(node.items.map(compileChild), (values) => values);
    case 'map':
      return compileMap(node.entries.map(([key, value]) => [compileChild(key), compileChild(value)]));
    case 'call':
      return compileCall(node, compileChild);
  }
}

function compileVariable(name: string, scope: readonly string[]): Step {
  const slot = scope.lastIndexOf(name);
  if (slot === 0) return (run) => run.first;
  if (slot === 1) return (run) => run.second;
  return (run) => run.ctx;
}

function compileConditional(test: Step, whenTrue: Step, whenFalse: Step): Step {
  return (run) => {
    const value = test(run);
    if (typeof value === 'boolean') return value ? whenTrue(run) : whenFalse(run);
    return value instanceof RuleError ? value : typeMismatch;
  };
}

function compileUnary(of: Step, work: (value: Value) => Outcome): Step {
  return (run) => {
    const value = of(run);
    return value instanceof RuleError ? value : work(value);
  };
}

function compileBinary(left: Step, right: Step, work: BinaryFunction): Step {
  return (run) => {
    const a = left(run);
    if (a instanceof RuleError) return a;
    const b = right(run);
    return b instanceof RuleError ? b : work(a, b, run);
  };
}

/** `&&` or `||`: a deciding operand (`decisive`) wins over errors of others, else the first error counts. */
function compileLogic(args: readonly Step[], decisive: boolean): Step {
  return (run) => {
    let error: RuleError | null = null;
    for (const arg of args) {
      const value = arg(run);
      if (value === decisive) return decisive;
      if (typeof value === 'boolean') continue;
      error = toDecidingError(error, value);
      if (error.kind === 'limit') return error;
    }
    return error ?? !decisive;
  };
}

/** The error that counts after one more operand failed: the limit on steps, which nothing absorbs, else the first. */
function toDecidingError(first: RuleError | null, value: Outcome): RuleError {
  const error = value instanceof RuleError ? value : typeMismatch;
  return error.kind === 'limit' ? error : (first ?? error);
}

function compileCall(node: RuleNode & { k: 'call' }, compileChild: CompileChild): Step {
  if (node.fn === 'matches') return compileMatches(node.args, compileChild);
  const work = implementations[node.fn];
  if (!work) throw new Error(`The tree calls an unknown function: ${node.fn}.`);
  return compileArguments(node.args.map(compileChild), work);
}

function compileMatches([operand, pattern]: readonly RuleNode[], compileChild: CompileChild): Step {
  const work = pattern?.k === 'lit' && typeof pattern.v === 'string' ? compilePattern(pattern.v) : null;
  if (!work || !operand) throw new Error('The tree contains a pattern that is not RE2.');
  return compileArguments([compileChild(operand)], work);
}

function compileArguments(args: readonly Step[], work: (values: readonly Value[], run: Run) => Outcome): Step {
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

function compileMap(entries: readonly (readonly [Step, Step])[]): Step {
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

/** Goes over the members of a list or map, or ends with an error of its own. */
type Walk = (members: readonly Value[], run: Run) => Outcome;
/** Makes a member the loop variable; false when no steps are left. */
type Bind = (run: Run, member: Value) => boolean;

function compileComprehension(node: RuleNode & { k: 'each' }, scope: readonly string[], hook: Hook): Step {
  const of = compileNode(node.of, scope, hook);
  const inner = [...scope, node.name];
  const test = node.test ? compileNode(node.test, inner, hook) : null;
  const result = node.result ? compileNode(node.result, inner, hook) : null;
  const cost = (node.test ? measureWeight(node.test) : 0) + (node.result ? measureWeight(node.result) : 0);
  const isOuter = scope.length === 0;
  const bind: Bind = (run, member) => {
    if (isOuter) run.first = member;
    else run.second = member;
    run.steps -= cost;
    return run.steps >= 0;
  };
  const walk = compileWalk(node.macro, bind, test, result);
  return (run) => {
    const value = of(run);
    if (value instanceof RuleError) return value;
    if (!isList(value) && !isMap(value)) return typeMismatch;
    const members = isList(value) ? value : listKeys(value);
    return members.length > ruleLimits.maxComprehensionMembers ? limitReached : walk(members, run);
  };
}

function compileWalk(macro: Macro, bind: Bind, test: Step | null, result: Step | null): Walk {
  if (!test) return compileCollection(bind, null, result);
  switch (macro) {
    case 'all':
      return compileQuantifier(bind, test, false);
    case 'exists':
      return compileQuantifier(bind, test, true);
    case 'exists_one': {
      const filter = compileCollection(bind, test, null);
      return (members, run) => {
        const found = filter(members, run);
        return found instanceof RuleError ? found : isList(found) && found.length === 1;
      };
    }
    case 'map':
    case 'filter':
      return compileCollection(bind, test, result);
  }
}

/** `all` and `exists` are `&&` and `||` over the members. One loop for both would cost these a tenth of their speed. */
function compileQuantifier(bind: Bind, test: Step, decisive: boolean): Walk {
  return (members, run) => {
    let error: RuleError | null = null;
    for (const member of members) {
      if (!bind(run, member)) return limitReached;
      const value = test(run);
      if (value === decisive) return decisive;
      if (typeof value === 'boolean') continue;
      error = toDecidingError(error, value);
      if (error.kind === 'limit') return error;
    }
    return error ?? !decisive;
  };
}

/** The members that pass the test, or what `result` makes of them; any error is the outcome. */
function compileCollection(bind: Bind, test: Step | null, result: Step | null): Walk {
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the innermost loop of a rule, where a call per member would be measured
  return (members, run) => {
    const values: Value[] = [];
    for (const member of members) {
      if (!bind(run, member)) return limitReached;
      if (test) {
        const passes = test(run);
        if (passes instanceof RuleError) return passes;
        if (typeof passes !== 'boolean') return typeMismatch;
        if (!passes) continue;
      }
      const value = result ? result(run) : member;
      if (value instanceof RuleError) return value;
      values.push(value);
    }
    return values;
  };
}
