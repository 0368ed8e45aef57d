/** What an editor needs to know about a condition, as pure functions: completion, hover, formatting. */
import { ruleFunctions, type StaticType } from '../functions.ts';
import { parseCondition } from '../parse.ts';
import { printLiteral, printPath, printTree } from '../print.ts';
import { hasComment } from '../source.ts';
import { macros } from '../tree.ts';
import type { KnownField } from './fields.ts';

/** One item of a completion list; `insert` is what it puts in, `detail` and `help` are shown beside it. */
export type Completion = {
  label: string;
  kind: 'field' | 'function' | 'macro' | 'value';
  insert: string;
  detail: string;
  help: string;
};
/** `from`–`to` (UTF-16) is what a chosen item replaces. */
export type Completions = { from: number; to: number; items: Completion[] };

const macroHelp: Record<string, string> = {
  all: 'True if the expression is true for every member.',
  exists: 'True if the expression is true for at least one member.',
  exists_one: 'True if the expression is true for exactly one member.',
  map: 'A list with the result of the expression for every member.',
  filter: 'A list of the members for which the expression is true.',
  has: 'True if the field exists, even if it is null.',
};

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Finds what may stand at an offset (UTF-16), as far as it starts with the word that is there already. */
export function findCompletions(source: string, offset: number, fields: readonly KnownField[]): Completions {
  const before = source.slice(0, offset);
  const word = /[A-Za-z0-9_]*$/.exec(before)?.[0] ?? '';
  const from = offset - word.length;
  const items = listCompletions(before.slice(0, from), fields);
  return {
    from,
    to: offset,
    items: items.filter(({ label }) => label.toLowerCase().startsWith(word.toLowerCase())),
  };
}

/** Lists fields and methods after a dot, values after a comparison with a field that has a list of them, functions. */
function listCompletions(lead: string, fields: readonly KnownField[]): Completion[] {
  const path = /(?<![\w.])ctx((?:\.[A-Za-z_]\w*)*)\.$/.exec(lead);
  if (path) {
    const above = (path[1] ?? '').split('.').filter(Boolean);
    const methods = above.length > 0 ? listMethodCompletions(findFieldType(above, fields)) : [];
    return [...listFieldCompletions(above, fields), ...methods];
  }
  if (lead.endsWith('.')) return listMethodCompletions('any');
  return [
    ...listValueCompletions(lead, fields),
    { label: 'ctx', kind: 'field', insert: 'ctx', detail: 'the input', help: 'The input of the decision.' },
    { label: 'has', kind: 'macro', insert: 'has(ctx.', detail: 'has(ctx.field)', help: macroHelp.has ?? '' },
    ...listFunctionCompletions(),
  ];
}

function listValueCompletions(lead: string, fields: readonly KnownField[]): Completion[] {
  const compared = /(ctx(?:\.[A-Za-z_]\w*)+)\s*(?:==|!=|in\s*\[(?:[^\]]*,)?)\s*$/.exec(lead)?.[1];
  const values = fields.find((field) => printPath(field.path) === compared)?.values ?? [];
  return values.flatMap((value): Completion[] => {
    if (value !== null && typeof value === 'object') return [];
    const literal = printLiteral(value);
    return [{ label: literal, kind: 'value', insert: literal, detail: 'value', help: '' }];
  });
}

function listFunctionCompletions(): Completion[] {
  return [...ruleFunctions.values()]
    .filter(({ style }) => style === 'global')
    .map(({ name, returns, help }) => ({
      label: name,
      kind: 'function',
      insert: `${name}(`,
      detail: `${name}(…) → ${returns}`,
      help,
    }));
}

function listFieldCompletions(above: readonly string[], fields: readonly KnownField[]): Completion[] {
  const names = new Map<string, KnownField>();
  for (const field of fields) {
    const name = field.path.at(-1);
    if (name !== undefined && isSamePath(field.path.slice(0, -1), above)) names.set(name, field);
  }
  return [...names]
    .filter(([name]) => identifier.test(name))
    .map(([name, field]) => ({ label: name, kind: 'field', insert: name, detail: field.type, help: field.help }));
}

function findFieldType(path: readonly string[], fields: readonly KnownField[]): StaticType {
  return fields.find((field) => isSamePath(field.path, path))?.type ?? 'any';
}

function isSamePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}

function listMethodCompletions(type: StaticType): Completion[] {
  const methods = [...ruleFunctions.values()].filter(
    ({ style, args }) => style !== 'global' && (type === 'any' || args[0]?.includes(type)),
  );
  const comprehensions = type === 'any' || type === 'list' || type === 'map' ? macros : [];
  return [
    ...methods.map(({ name, arity, returns, help }): Completion => {
      const insert = arity[1] === 1 ? `${name}()` : `${name}(`;
      return { label: name, kind: 'function', insert, detail: `→ ${returns}`, help };
    }),
    ...comprehensions.map(
      (name): Completion => ({
        label: name,
        kind: 'macro',
        insert: `${name}(item, `,
        detail: `${name}(item, …)`,
        help: macroHelp[name] ?? '',
      }),
    ),
  ];
}

/** What is shown for the range `from`–`to` (UTF-16). */
export type Hover = { from: number; to: number; title: string; help: string };

/** Explains the word at an offset (UTF-16), or returns null. */
export function findHover(source: string, offset: number, fields: readonly KnownField[]): Hover | null {
  for (const match of source.matchAll(/(?<![\w.])ctx(?:\.[A-Za-z_]\w*)+(?!\w*\()|[A-Za-z_]\w*/g)) {
    const from = match.index;
    const to = from + match[0].length;
    if (offset < from || offset > to) continue;
    const field = fields.find((known) => printPath(known.path) === match[0]);
    if (field) {
      const values = field.values ? ` Values: ${field.values.map((value) => JSON.stringify(value)).join(', ')}.` : '';
      return { from, to, title: `${match[0]}: ${field.type}`, help: `${field.help}${values}`.trim() };
    }
    const name = match[0];
    const info = ruleFunctions.get(name);
    if (info) return { from, to, title: `${name} → ${info.returns}`, help: info.help };
    const help = Object.hasOwn(macroHelp, name) ? macroHelp[name] : undefined;
    return help ? { from, to, title: name, help } : null;
  }
  return null;
}

/** Formats a condition; it stays as it is where it does not parse or contains comments, which a tree does not keep. */
export function formatCondition(source: string): string {
  const { ast } = parseCondition(source);
  if (!ast || hasComment(source)) return source;
  const printed = printTree(ast);
  return parseCondition(printed).ast ? printed : source;
}
