/** Types that are known before any input is seen, and the mistakes they show. */
import { ruleFunctions, type StaticType } from './functions.ts';
import type { At, RuleNode } from './tree.ts';

export type TypeProblem = { message: string; suggestion: string | null; at: At };
/** Says the type of a field path (segments after ctx), or 'any'. */
export type FieldTypes = (path: readonly string[], at: At, report: (problem: TypeProblem) => void) => StaticType;

const shown: Record<StaticType, string> = {
  any: 'a value',
  bool: 'true or false',
  number: 'a number',
  text: 'a text',
  list: 'a list',
  map: 'a map',
  null: 'null',
  timestamp: 'a timestamp',
  duration: 'a duration',
};

/** The type of an expression and every use of a type that can only fail. Fields are 'any' unless `fields` knows better. */
export function inferType(
  root: RuleNode,
  fields: FieldTypes = () => 'any',
): { type: StaticType; problems: TypeProblem[] } {
  const problems: TypeProblem[] = [];
  const report = (at: At, message: string, suggestion: string | null = null) =>
    problems.push({ at, message, suggestion });
  const expect = (node: RuleNode, allowed: readonly StaticType[], what: string): StaticType => {
    const type = typeOf(node);
    if (type !== 'any' && !allowed.includes(type))
      report(
        node.at,
        `${what} needs ${allowed.map((name) => shown[name]).join(' or ')}, not ${shown[type]}.`,
        suggestConversion(type, allowed),
      );
    return type;
  };
  const typeOf = (node: RuleNode): StaticType => {
    switch (node.k) {
      case 'lit':
        return node.v === null
          ? 'null'
          : typeof node.v === 'string'
            ? 'text'
            : typeof node.v === 'number'
              ? 'number'
              : 'bool';
      case 'var':
        return node.name === 'ctx' ? 'map' : 'any';
      case 'get': {
        const path = toFieldPath(node);
        if (path) return fields(path, node.at, (problem) => problems.push(problem));
        expect(node.of, ['map'], `.${node.field}`);
        return 'any';
      }
      case 'has': {
        const path = toFieldPath(node.of);
        if (!path || path.length > 0) expect(node.of, ['map'], 'has');
        if (path) fields([...path, node.field], node.at, (problem) => problems.push(problem));
        return 'bool';
      }
      case 'index':
        expect(node.of, ['list', 'map'], '[…]');
        expect(node.by, ['number', 'text'], '[…]');
        return 'any';
      case 'not':
        expect(node.of, ['bool'], '!');
        return 'bool';
      case 'neg':
        return toNumeric(expect(node.of, ['number', 'duration'], '-'));
      case 'and':
      case 'or':
        for (const arg of node.args) expect(arg, ['bool'], node.k === 'and' ? '&&' : '||');
        return 'bool';
      case 'if': {
        expect(node.test, ['bool'], '?');
        const yes = typeOf(node.then);
        return yes === typeOf(node.else) ? yes : 'any';
      }
      case 'op':
        return typeOfOperator(node);
      case 'list':
        node.items.forEach(typeOf);
        return 'list';
      case 'map':
        for (const [key, value] of node.entries) {
          expect(key, ['text'], 'A key');
          typeOf(value);
        }
        return 'map';
      case 'call': {
        const info = ruleFunctions.get(node.fn);
        node.args.forEach((arg, i) => {
          expect(arg, info?.args[i] ?? info?.args.at(-1) ?? ['any'], node.fn);
        });
        return info?.returns ?? 'any';
      }
      case 'each':
        expect(node.of, ['list', 'map'], node.macro);
        if (node.test) expect(node.test, ['bool'], node.macro);
        if (node.result) typeOf(node.result);
        return node.macro === 'map' || node.macro === 'filter' ? 'list' : 'bool';
    }
  };
  const typeOfOperator = (node: RuleNode & { k: 'op' }): StaticType => {
    const { op } = node;
    if (op === '==' || op === '!=') {
      const left = typeOf(node.left);
      const right = typeOf(node.right);
      if (left !== 'any' && right !== 'any' && left !== right && left !== 'null' && right !== 'null')
        report(node.at, `${capitalize(shown[left])} never equals ${shown[right]}.`, suggestEquality(left, right));
      return 'bool';
    }
    if (op === 'in') {
      typeOf(node.left);
      expect(node.right, ['list', 'map'], 'in');
      return 'bool';
    }
    if (op === '*' || op === '/' || op === '%') {
      expect(node.left, ['number'], op);
      expect(node.right, ['number'], op);
      return 'number';
    }
    const times: StaticType[] = ['number', 'timestamp', 'duration'];
    const allowed: StaticType[] =
      op === '-' ? times : op === '+' ? [...times, 'text', 'list'] : [...times, 'text', 'bool'];
    const left = expect(node.left, allowed, op);
    const right = expect(node.right, allowed, op);
    const bothKnown = left !== 'any' && right !== 'any' && allowed.includes(left) && allowed.includes(right);
    const arithmetic = op === '+' || op === '-';
    if (bothKnown && left !== right && !(arithmetic && isTime(left) && isTime(right)))
      report(node.at, `${op} cannot take ${shown[left]} and ${shown[right]}.`, suggestEquality(left, right));
    if (!arithmetic) return 'bool';
    const known = left === 'any' ? right : left;
    return isTime(known) ? 'any' : known;
  };
  return { type: typeOf(root), problems };
}

/** The segments of a plain path from ctx (`ctx.a["b"]` too), [] for ctx itself, or null. */
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

function toNumeric(type: StaticType): StaticType {
  return type === 'number' || type === 'duration' ? type : 'any';
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function suggestConversion(type: StaticType, allowed: readonly StaticType[]): string | null {
  if (type === 'text' && allowed.includes('number')) return 'Convert the text with double(…).';
  if (type === 'number' && allowed.includes('text')) return 'Convert the number with string(…).';
  return null;
}

function suggestEquality(left: StaticType, right: StaticType): string | null {
  const pair = [left, right];
  return pair.includes('text') && pair.includes('number')
    ? 'Leave out the quotes, or convert with double(…) or string(…).'
    : null;
}
