/** Types that are known before any input is seen, and the mistakes they show. */
import { findJsonType, ruleFunctions, type StaticType } from './functions.ts';
import type { At, RuleNode } from './tree.ts';

/** A use of a type that can only fail, or of a field that is not known. */
type TypeProblem = { message: string; suggestion: string | null; at: At };
/** Infers the type of a field path (segments after ctx), 'any' where it is not known, and may report a problem. */
export type FieldTypes = (path: readonly string[], at: At, report: (problem: TypeProblem) => void) => StaticType;

type Inference = { readonly fields: FieldTypes; readonly problems: TypeProblem[] };

const typeNames: Record<StaticType, string> = {
  any: 'a value',
  bool: 'true or false',
  number: 'a number',
  text: 'a string',
  list: 'a list',
  map: 'a map',
  null: 'null',
  timestamp: 'a timestamp',
  duration: 'a duration',
};

/** Infers an expression's type and reports uses that can only fail; fields are 'any' but for `fields`. */
export function inferType(
  root: RuleNode,
  fields: FieldTypes = () => 'any',
): { type: StaticType; problems: TypeProblem[] } {
  const problems: TypeProblem[] = [];
  return { type: infer(root, { fields, problems }), problems };
}

function infer(node: RuleNode, inference: Inference): StaticType {
  switch (node.k) {
    case 'lit':
      return findJsonType(node.v);
    case 'var':
      return node.name === 'ctx' ? 'map' : 'any';
    case 'get':
      return inferField(node, inference);
    case 'has':
      return inferHas(node, inference);
    case 'index':
      expect(node.of, ['list', 'map'], '[…]', inference);
      expect(node.by, ['number', 'text'], '[…]', inference);
      return 'any';
    case 'not':
      expect(node.of, ['bool'], '!', inference);
      return 'bool';
    case 'neg': {
      const type = expect(node.of, ['number', 'duration'], '-', inference);
      return type === 'number' || type === 'duration' ? type : 'any';
    }
    case 'and':
    case 'or':
      for (const arg of node.args) expect(arg, ['bool'], node.k === 'and' ? '&&' : '||', inference);
      return 'bool';
    case 'if': {
      expect(node.test, ['bool'], '?', inference);
      const whenTrue = infer(node.then, inference);
      return whenTrue === infer(node.else, inference) ? whenTrue : 'any';
    }
    case 'op':
      return inferOperator(node, inference);
    case 'list':
      for (const item of node.items) infer(item, inference);
      return 'list';
    case 'map':
      for (const [key, value] of node.entries) {
        expect(key, ['text'], 'A key', inference);
        infer(value, inference);
      }
      return 'map';
    case 'call':
      return inferCall(node, inference);
    case 'each':
      return inferComprehension(node, inference);
  }
}

/** Infers the type of a node, and reports it unless `user`, the operator or function, takes it. */
function expect(node: RuleNode, allowed: readonly StaticType[], user: string, inference: Inference): StaticType {
  const type = infer(node, inference);
  if (type !== 'any' && !allowed.includes(type)) {
    const names = allowed.map((name) => typeNames[name]).join(' or ');
    const message = `${user} needs ${names}, not ${typeNames[type]}.`;
    inference.problems.push({ at: node.at, message, suggestion: suggestConversion(type, allowed) });
  }
  return type;
}

function inferField(node: RuleNode & { k: 'get' }, inference: Inference): StaticType {
  const path = toFieldPath(node);
  if (path) return inferPath(path, node.at, inference);
  expect(node.of, ['map'], `.${node.field}`, inference);
  return 'any';
}

function inferHas(node: RuleNode & { k: 'has' }, inference: Inference): StaticType {
  const path = toFieldPath(node.of);
  if (!path || path.length > 0) expect(node.of, ['map'], 'has', inference);
  if (path) inferPath([...path, node.field], node.at, inference);
  return 'bool';
}

function inferPath(path: readonly string[], at: At, { fields, problems }: Inference): StaticType {
  return fields(path, at, (problem) => problems.push(problem));
}

function inferCall(node: RuleNode & { k: 'call' }, inference: Inference): StaticType {
  const info = ruleFunctions.get(node.fn);
  node.args.forEach((arg, i) => {
    expect(arg, info?.args[i] ?? info?.args.at(-1) ?? ['any'], node.fn, inference);
  });
  return info?.returns ?? 'any';
}

function inferComprehension(node: RuleNode & { k: 'each' }, inference: Inference): StaticType {
  expect(node.of, ['list', 'map'], node.macro, inference);
  if (node.test) expect(node.test, ['bool'], node.macro, inference);
  if (node.result) infer(node.result, inference);
  return node.macro === 'map' || node.macro === 'filter' ? 'list' : 'bool';
}

function inferOperator(node: RuleNode & { k: 'op' }, inference: Inference): StaticType {
  switch (node.op) {
    case '==':
    case '!=':
      return inferEquality(node, inference);
    case 'in':
      infer(node.left, inference);
      expect(node.right, ['list', 'map'], 'in', inference);
      return 'bool';
    case '*':
    case '/':
    case '%':
      expect(node.left, ['number'], node.op, inference);
      expect(node.right, ['number'], node.op, inference);
      return 'number';
    case '+':
    case '-':
      return inferSum(node, inference);
    default:
      inferOperands(node, ['number', 'timestamp', 'duration', 'text', 'bool'], inference);
      return 'bool';
  }
}

function inferEquality(node: RuleNode & { k: 'op' }, inference: Inference): StaticType {
  const left = infer(node.left, inference);
  const right = infer(node.right, inference);
  const types = [left, right];
  if (left !== right && !types.includes('any') && !types.includes('null')) {
    const message = `${capitalize(typeNames[left])} never equals ${typeNames[right]}.`;
    inference.problems.push({ at: node.at, message, suggestion: suggestSameType(left, right) });
  }
  return 'bool';
}

function inferSum(node: RuleNode & { k: 'op' }, inference: Inference): StaticType {
  const times: StaticType[] = ['number', 'timestamp', 'duration'];
  const [left, right] = inferOperands(node, node.op === '+' ? [...times, 'text', 'list'] : times, inference);
  const known = left === 'any' ? right : left;
  return isTime(known) ? 'any' : known;
}

/** Infers two operands that must have one type; only `+` and `-` take a timestamp and a duration together. */
function inferOperands(
  node: RuleNode & { k: 'op' },
  allowed: readonly StaticType[],
  inference: Inference,
): [StaticType, StaticType] {
  const { op, at } = node;
  const left = expect(node.left, allowed, op, inference);
  const right = expect(node.right, allowed, op, inference);
  const mayMix = (op === '+' || op === '-') && isTime(left) && isTime(right);
  if (left !== right && allowed.includes(left) && allowed.includes(right) && !mayMix) {
    const message = `${op} cannot take ${typeNames[left]} and ${typeNames[right]}.`;
    inference.problems.push({ at, message, suggestion: suggestSameType(left, right) });
  }
  return [left, right];
}

/** Returns the segments of a plain path from ctx (`ctx.a["b"]` too), [] for ctx itself, or null. */
export function toFieldPath(node: RuleNode): string[] | null {
  if (node.k === 'var') return node.name === 'ctx' ? [] : null;
  if (node.k === 'get') {
    const above = toFieldPath(node.of);
    return above ? [...above, node.field] : null;
  }
  if (node.k === 'index' && node.by.k === 'lit' && typeof node.by.v === 'string') {
    const above = toFieldPath(node.of);
    return above ? [...above, node.by.v] : null;
  }
  return null;
}

function isTime(type: StaticType): boolean {
  return type === 'timestamp' || type === 'duration';
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function suggestConversion(type: StaticType, allowed: readonly StaticType[]): string | null {
  if (type === 'text' && allowed.includes('number')) return 'Convert the string with double(…).';
  if (allowed.includes('list') && (type === 'text' || type === 'number' || type === 'bool'))
    return 'A list stands in square brackets: ["x", "y"].';
  if (type === 'number' && allowed.includes('text')) return 'Convert the number with string(…).';
  return null;
}

function suggestSameType(left: StaticType, right: StaticType): string | null {
  const types = [left, right];
  return types.includes('text') && types.includes('number')
    ? 'Leave out the quotes, or convert with double(…) or string(…).'
    : null;
}
