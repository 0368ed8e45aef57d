/** What an editor needs to know about a condition, as pure functions: completion, hover, formatting. */

import { ruleFunctions } from '../functions.ts';
import { parseCondition } from '../parse.ts';
import { printLiteral, printPath, printTree } from '../print.ts';
import { hasComment } from '../source.ts';
import { macros } from '../tree.ts';
import type { KnownField } from './fields.ts';

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
  all: 'True if the expression holds for every member.',
  exists: 'True if the expression holds for at least one member.',
  exists_one: 'True if the expression holds for exactly one member.',
  map: 'A list with the result of the expression for every member.',
  filter: 'A list of the members for which the expression holds.',
  has: 'True if the field is there, even if it is null.',
};

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What may stand at an offset: fields and methods behind a dot, values behind a comparison with a listed field, else functions. */
export function findCompletions(source: string, offset: number, fields: readonly KnownField[]): Completions {
  const before = source.slice(0, offset);
  const word = /[A-Za-z0-9_]*$/.exec(before)?.[0] ?? '';
  const from = offset - word.length;
  const lead = before.slice(0, from);
  const path = /(?<![\w.])ctx((?:\.[A-Za-z_]\w*)*)\.$/.exec(lead);
  const wanted = (items: Completion[]) => ({
    from,
    to: offset,
    items: items.filter((item) => item.label.toLowerCase().startsWith(word.toLowerCase())),
  });
  if (path) {
    const above = (path[1] ?? '').split('.').filter(Boolean);
    return wanted([
      ...listFieldCompletions(above, fields),
      ...(above.length > 0 ? listMethodCompletions(findFieldType(above, fields)) : []),
    ]);
  }
  if (lead.endsWith('.')) return wanted(listMethodCompletions('any'));
  const compared = /(ctx(?:\.[A-Za-z_]\w*)+)\s*(?:==|!=|in\s*\[(?:[^\]]*,)?)\s*$/.exec(lead)?.[1];
  const values = fields.find((field) => printPath(field.path) === compared)?.values ?? [];
  const listed = values.flatMap((value): Completion[] => {
    if (value !== null && typeof value === 'object') return [];
    const text = printLiteral(value);
    return [{ label: text, kind: 'value', insert: text, detail: 'value', help: '' }];
  });
  return wanted([
    ...listed,
    { label: 'ctx', kind: 'field', insert: 'ctx', detail: 'the input', help: 'The input of the decision.' },
    { label: 'has', kind: 'macro', insert: 'has(ctx.', detail: 'has(ctx.field)', help: macroHelp.has ?? '' },
    ...[...ruleFunctions.values()]
      .filter((info) => info.style === 'global')
      .map(
        (info): Completion => ({
          label: info.name,
          kind: 'function',
          insert: `${info.name}(`,
          detail: `${info.name}(…) → ${info.returns}`,
          help: info.help,
        }),
      ),
  ]);
}

function listFieldCompletions(above: readonly string[], fields: readonly KnownField[]): Completion[] {
  const names = new Map<string, KnownField>();
  for (const field of fields) {
    const name = field.path[above.length];
    if (
      name !== undefined &&
      field.path.length === above.length + 1 &&
      above.every((part, i) => part === field.path[i])
    )
      names.set(name, field);
  }
  return [...names]
    .filter(([name]) => identifier.test(name))
    .map(([name, field]) => ({ label: name, kind: 'field', insert: name, detail: field.type, help: field.help }));
}

function findFieldType(path: readonly string[], fields: readonly KnownField[]): string {
  return (
    fields.find((field) => field.path.length === path.length && path.every((part, i) => part === field.path[i]))
      ?.type ?? 'any'
  );
}

function listMethodCompletions(type: string): Completion[] {
  const fitting = [...ruleFunctions.values()].filter(
    (info) => info.style !== 'global' && (type === 'any' || info.args[0]?.some((allowed) => allowed === type)),
  );
  const loops = type === 'any' || type === 'list' || type === 'map' ? macros : [];
  return [
    ...fitting.map((info): Completion => {
      const insert = info.arity[1] === 1 ? `${info.name}()` : `${info.name}(`;
      return { label: info.name, kind: 'function', insert, detail: `→ ${info.returns}`, help: info.help };
    }),
    ...loops.map(
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

export type Hover = { from: number; to: number; title: string; help: string };

/** What the word at an offset is, or null. */
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

/** The condition in the one style; unchanged where it does not parse or holds comments (which a tree does not keep). */
export function formatCondition(source: string): string {
  const { ast } = parseCondition(source);
  if (!ast || hasComment(source)) return source;
  const printed = printTree(ast);
  return parseCondition(printed).ast ? printed : source;
}
