/** Editor support for conditions, as pure functions: completion, hover, formatting. */
import type { NamedLists } from '../../domain/definition.ts';
import { functionHelp } from '../function-help.ts';
import { ruleFunctions, type StaticType } from '../functions.ts';
import { parseCondition } from '../parsing/parse.ts';
import { printLiteral, printPath, printTree } from '../parsing/print.ts';
import { findOpenString, hasComment } from '../source.ts';
import { macros } from '../tree.ts';
import { toFieldPath } from '../types.ts';
import type { KnownField } from './fields.ts';
import { isSamePath } from './table.ts';

/** One item of a completion list; `insert` is what it puts in, `detail` and `help` are shown beside it. */
type Completion = {
  label: string;
  kind: 'field' | 'function' | 'macro' | 'value';
  insert: string;
  detail: string;
  help: string;
};
/** `from`–`to` (UTF-16) is replaced; `lead` is a dot or quote before the text that finds an item. */
type Completions = { from: number; to: number; lead: string; items: Completion[] };

const macroHelp: Record<string, string> = {
  all: 'True if the expression is true for every member.',
  exists: 'True if the expression is true for at least one member.',
  exists_one: 'True if the expression is true for exactly one member.',
  map: 'A list with the result of the expression for every member.',
  filter: 'A list of the members for which the expression is true.',
  has: 'True if the field exists, even if it is null.',
};

/** A field as it is written in a condition, from ctx on. */
const fieldSource = String.raw`(?<![\w.])ctx(?:\.[A-Za-z_]\w*|\[\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\])*`;
const beforeMember = new RegExp(`(${fieldSource})\\.$`);
const beforeName = new RegExp(`(${fieldSource})\\[\\s*$`);
const wholeField = new RegExp(`^(${fieldSource})$`);
const hoverable = new RegExp(`${fieldSource}(?!\\w*\\()|[A-Za-z_]\\w*`, 'g');
const beforeValue = new RegExp(`(${fieldSource})\\s*(?:[=!]=|in\\s*\\[(?:[^\\]]*,)?)\\s*$`);

/** Finds what may stand at an offset (UTF-16), whatever of it is there already. */
export function findCompletions(
  source: string,
  offset: number,
  fields: readonly KnownField[],
  lists: NamedLists = {},
): Completions {
  const before = source.slice(0, offset);
  const string = findOpenString(before);
  if (string !== null) return findStringCompletions(source, string, offset, fields);
  const word = /[\p{L}\p{N}_]*$/u.exec(before)?.[0] ?? '';
  const from = offset - word.length;
  if (before[from - 1] === '.')
    return {
      from: from - 1,
      to: offset,
      lead: '.',
      items: listMemberCompletions(before.slice(0, from), fields, lists),
    };
  return { from, to: offset, lead: '', items: listStartCompletions(before.slice(0, from), fields) };
}

function listMemberCompletions(before: string, fields: readonly KnownField[], lists: NamedLists): Completion[] {
  if (/(?<![\w.])lists\.$/.test(before)) return Object.entries(lists).map(toListCompletion);
  const above = findField(before, beforeMember);
  const field = above && fields.find(({ path }) => isSamePath(path, above));
  const methods = above?.length === 0 ? [] : listMethodCompletions(field?.type ?? 'any');
  const members = above ? listFieldCompletions(above, fields) : [];
  return [...members, ...methods.map((method) => ({ ...method, insert: `.${method.insert}` }))];
}

/** Lists values behind a comparison with a field that has a list of them, fields and functions. */
function listStartCompletions(before: string, fields: readonly KnownField[]): Completion[] {
  if (/["']$/.test(before)) return [];
  return [
    ...listValues(before, fields).map((value) => toValueCompletion(printLiteral(value), value)),
    ...fields.map(({ path, type, help }) => toFieldCompletion(printPath(path), printPath(path), type, help)),
    toFieldCompletion('ctx', 'ctx', 'the input', 'The input of the decision.'),
    { label: 'has', kind: 'macro', insert: 'has(ctx.', detail: 'has(ctx.field)', help: macroHelp.has ?? '' },
    ...listFunctionCompletions(),
  ];
}

/** Completes the string that begins at `from`: the name of a field in brackets, or a value that a field has. */
function findStringCompletions(
  source: string,
  from: number,
  offset: number,
  fields: readonly KnownField[],
): Completions {
  const before = source.slice(0, from);
  const quote = source[from] ?? '"';
  const above = findField(before, beforeName);
  const items = above
    ? listFieldCompletions(above, fields, (name) => `${printLiteral(name)}]`)
    : listValues(before, fields).flatMap((value) =>
        typeof value === 'string' ? [toValueCompletion(value, value)] : [],
      );
  const rest = source.slice(offset, source.indexOf(quote, offset) + 1);
  // The text between may belong to the next comparison while the quote is still missing.
  let to = /&&|\|\||\n/.test(rest) ? offset : offset + rest.length;
  if (above && source[to] === ']') to += 1;
  return { from, to, lead: quote, items };
}

/** The path of the field that stands where `pattern` finds one; null without one. */
function findField(source: string, pattern: RegExp): string[] | null {
  const { ast } = parseCondition(pattern.exec(source)?.[1] ?? '');
  return ast && toFieldPath(ast);
}

/** The values of the field with which a comparison begins at the end of the source. */
function listValues(source: string, fields: readonly KnownField[]): (string | number | boolean | null)[] {
  const path = findField(source, beforeValue);
  const values = path ? fields.find((field) => isSamePath(field.path, path))?.values : null;
  return (values ?? []).filter((value) => value === null || typeof value !== 'object');
}

function toValueCompletion(label: string, value: string | number | boolean | null): Completion {
  return { label, kind: 'value', insert: printLiteral(value), detail: 'value', help: '' };
}

function toFieldCompletion(label: string, insert: string, detail: string, help: string): Completion {
  return { label, kind: 'field', insert, detail, help };
}

function toListCompletion([name, values]: [string, readonly unknown[]]): Completion {
  const help = values.slice(0, 12).map((value) => JSON.stringify(value));
  return { label: name, kind: 'value', insert: `.${name}`, detail: `list of ${values.length}`, help: help.join(', ') };
}

function listFunctionCompletions(): Completion[] {
  return [...ruleFunctions.values()]
    .filter(({ style }) => style === 'global')
    .map(({ name, returns }) => ({
      label: name,
      kind: 'function',
      insert: `${name}(`,
      detail: `${name}(…) → ${returns}`,
      help: functionHelp[name] ?? '',
    }));
}

/** Lists the fields right below a path, each as `print` writes it behind the path. */
function listFieldCompletions(
  above: readonly string[],
  fields: readonly KnownField[],
  print = (name: string) => printPath([name]).slice('ctx'.length),
): Completion[] {
  return fields.flatMap(({ path, type, help }) => {
    const name = path.at(-1);
    const isBelow = name !== undefined && isSamePath(path.slice(0, -1), above);
    return isBelow ? [toFieldCompletion(name, print(name), type, help)] : [];
  });
}

function listMethodCompletions(type: StaticType): Completion[] {
  const methods = [...ruleFunctions.values()].filter(
    ({ style, args }) => style !== 'global' && (type === 'any' || args[0]?.includes(type)),
  );
  const comprehensions = type === 'any' || type === 'list' || type === 'map' ? macros : [];
  return [
    ...methods.map(({ name, arity, returns }): Completion => {
      const insert = arity[1] === 1 ? `${name}()` : `${name}(`;
      return { label: name, kind: 'function', insert, detail: `→ ${returns}`, help: functionHelp[name] ?? '' };
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

/** The hover text for the range `from`–`to` (UTF-16). */
type Hover = { from: number; to: number; title: string; help: string };

/** Explains the word at an offset (UTF-16), or returns null. */
export function findHover(source: string, offset: number, fields: readonly KnownField[]): Hover | null {
  for (const match of source.matchAll(hoverable)) {
    const from = match.index;
    const to = from + match[0].length;
    if (offset < from || offset > to) continue;
    const path = findField(match[0], wholeField);
    const field = path && fields.find((known) => isSamePath(known.path, path));
    if (field) {
      const values = field.values ? ` Values: ${field.values.map((value) => JSON.stringify(value)).join(', ')}.` : '';
      return { from, to, title: `${match[0]}: ${field.type}`, help: `${field.help}${values}`.trim() };
    }
    const name = match[0];
    const info = ruleFunctions.get(name);
    if (info) return { from, to, title: `${name} → ${info.returns}`, help: functionHelp[name] ?? '' };
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
