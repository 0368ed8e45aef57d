/** The sheet of all rules: its columns, the texts of its cells, and what is typed into them. */

import { foldCase } from '../../../../engine/code-points.ts';
import type { Rule } from '../../../../engine/domain/definition.ts';
import { type Cell, type CellField, putCell, toCells, writeValue } from '../../../../engine/rules/analysis/cells.ts';
import type { KnownField } from '../../../../engine/rules/analysis/fields.ts';
import { nameSubject, printSubject, type Subject } from '../../../../engine/rules/days.ts';
import { printPath } from '../../../../engine/rules/parsing/print.ts';
import { findNearest } from '../../../../engine/rules/suggest.ts';
import type { RulesAnalysis } from '../../../../server/contract/types/rules.ts';
import { isolate } from '../../../parts/text/names.ts';
import type { TypeDraft } from '../../../state/drafts.ts';

/** A field with what it says about the label, in nats. */
export type SheetField = CellField & Pick<KnownField, 'values'> & { information: number };
export type SheetColumn = { id: string; name: string } & (
  | { kind: 'name' | 'then' | 'reason' }
  | { kind: 'field'; field: SheetField }
);
/** `cells` are known by the ids of their columns; null for a rule that does not fit a row. */
export type SheetRow = { place: number; rule: Rule; cells: ReadonlyMap<string, Cell> | null };
export type Written = { patch: Partial<Rule> } | { problem: string };
/** A value that may be chosen for a cell: the whole text of the cell with it, its name, and how often it occurs. */
export type Choice = { value: string; name: string; count: number | null };

/** Before the outcome of a rule that teaches and decides nothing. */
const hintMark = 'hint: ';
const hintPattern = /^hint:\s*/i;

/** Columns that an empty sheet begins with. */
const maxFirstColumns = 5;
export const nameColumn: SheetColumn = { id: 'name', name: 'Rule', kind: 'name' };
export const lastColumns: SheetColumn[] = [
  { id: 'reason', name: 'Reason', kind: 'reason' },
  { id: 'then', name: 'Then', kind: 'then' },
];

type Seen = Pick<RulesAnalysis, 'fields' | 'days'>;

/**
 * The fields that may have a column, those of inputs and the days between two of their dates, in the order of columns:
 * those that said most about the label when the sheet was opened come first, then those of few values.
 */
export function listSheetFields(fields: readonly KnownField[], days: Seen['days'], opened: Seen): SheetField[] {
  const said = [...opened.fields, ...opened.days.map((each) => ({ ...each, ...toSubject(each) }))];
  const known = new Map(said.map((each) => [printSubject(each), each.information]));
  const counted = days.map((each) => ({ ...each, ...toSubject(each), type: 'number' as const, values: null }));
  return [...fields, ...counted]
    .map((field): SheetField => ({ ...field, information: known.get(printSubject(field)) ?? 0 }))
    .toSorted((a, b) => b.information - a.information || Number(isVaried(a)) - Number(isVaried(b)));
}
const isVaried = ({ type, values }: SheetField) => (type === 'text' || type === 'any') && values === null;

/** The days between two dates as conditions name them. */
export const toSubject = ({ path, has_times, since }: RulesAnalysis['days'][number]): Subject => ({
  path,
  days: { until: { path, hasTime: has_times }, since: { path: since.path, hasTime: since.has_times } },
});

/** Returns what is known about a field, which may be nothing. */
export function toField(fields: readonly SheetField[]): (subject: Subject) => SheetField {
  const byName = new Map(fields.map((field) => [printSubject(field), field]));
  return (subject) => byName.get(printSubject(subject)) ?? toUnseen(subject);
}

/** A field that no example has. */
const toUnseen = ({ path, days }: Subject): SheetField => ({
  path,
  ...(days && { days }),
  type: days ? 'number' : 'any',
  values: null,
  information: 0,
});

/** The row of a rule. */
export function toSheetRow(rule: Rule, place: number, find: ReturnType<typeof toField>): SheetRow {
  const cells = toCells(rule.condition, find)?.map((cell) => [printSubject(cell.field), cell] as const);
  return { place, rule, cells: cells ? new Map(cells) : null };
}

/** Whether a cell can say anything of a field. */
const hasCells = ({ type }: SheetField) => type !== 'map' && type !== 'list';

/** Fields that may become a column. */
export function listFreeFields(columns: readonly SheetColumn[], fields: readonly SheetField[]): SheetField[] {
  const shown = new Set(columns.map(({ id }) => id));
  return fields.filter((field) => hasCells(field) && !shown.has(printSubject(field)));
}

/** Name, a column for each field that a row uses or that was `added`, outcome; without any, the first that tell. */
export function listColumns(
  rows: readonly SheetRow[],
  fields: readonly SheetField[],
  added: readonly string[],
): SheetColumn[] {
  const cells = new Map(rows.flatMap(({ cells }) => [...(cells ?? [])]));
  const used = new Set([...cells.keys(), ...added]);
  const known = fields.filter((field) => used.has(printSubject(field)));
  const names = new Set(known.map(printSubject));
  const unknown = [...cells.values()].flatMap(({ field }) => (names.has(printSubject(field)) ? [] : [toUnseen(field)]));
  const likely = fields.filter(hasCells);
  const telling = likely.filter(({ information }) => information > 0);
  const first = (telling.length > 0 ? telling : likely).slice(0, maxFirstColumns);
  const shown = used.size > 0 ? [...known, ...unknown] : first;
  const columns = shown.map(
    (field): SheetColumn => ({ id: printSubject(field), name: nameSubject(field), kind: 'field', field }),
  );
  return [nameColumn, ...columns, ...lastColumns];
}

/** The text of a cell; '' also for cells of a rule that does not fit a row. */
export function readText(row: SheetRow | undefined, column: SheetColumn): string {
  if (!row) return '';
  if (column.kind === 'name') return row.rule.name;
  if (column.kind === 'then') return `${row.rule.hint ? hintMark : ''}${row.rule.then}`;
  if (column.kind === 'reason') return row.rule.reason_code ?? '';
  return row.cells?.get(column.id)?.text ?? '';
}

/** Finds the one of some names that is typed: whole, in other case, or by a beginning that only it has. */
function findNamed(typed: string, names: readonly string[]): string | null {
  const folded = foldCase(typed);
  const same = names.find((name) => name === typed) ?? names.find((name) => foldCase(name) === folded);
  const begun = names.filter((name) => foldCase(name).startsWith(folded));
  return same ?? (begun.length === 1 ? (begun[0] ?? null) : null);
}

function toNameProblem(typed: string, what: string, names: readonly string[]): string {
  const nearest = findNearest(typed, names);
  const others = names.slice(0, 8).map(isolate).join(', ');
  const start = typed === '' ? `The ${what} is missing.` : `“${isolate(typed)}” is no ${what}.`;
  return nearest ? `${start} Did you mean ${isolate(nearest)}?` : `${start} There are: ${others || 'none'}.`;
}

/** Finds what a text typed into a cell changes of a rule; `others` are the rules beside it. */
export function writeText(
  rule: Pick<Rule, 'condition'>,
  column: SheetColumn,
  typed: string,
  { options, reason_codes }: Pick<TypeDraft, 'options' | 'reason_codes'>,
  others: readonly Rule[],
): Written {
  const text = typed.trim();
  switch (column.kind) {
    case 'name':
      if (text === '') return { problem: 'A rule needs a name.' };
      if (others.some(({ name }) => name === text)) return { problem: `Another rule is named “${isolate(text)}”.` };
      return { patch: { name: text } };
    case 'then': {
      const [mark] = hintPattern.exec(text) ?? [''];
      const typedOption = text.slice(mark.length);
      const then = typedOption === '' ? null : findNamed(typedOption, options);
      if (then === null) return { problem: toNameProblem(typedOption, 'option', options) };
      return { patch: { then, hint: mark !== '' || undefined } };
    }
    case 'reason': {
      const reason_code = text === '' ? null : findNamed(text, reason_codes);
      if (text !== '' && reason_code === null) return { problem: toNameProblem(text, 'reason code', reason_codes) };
      return { patch: { reason_code } };
    }
    case 'field': {
      const put = putCell(rule.condition, column.field, text);
      return 'problem' in put ? put : { patch: { condition: put.condition } };
    }
  }
}

/** Values that may come next in a cell, the most frequent first, as far as they hold what is typed of them. */
export function listChoices(
  column: SheetColumn,
  typed: string,
  { options, reason_codes, lists }: Pick<TypeDraft, 'options' | 'reason_codes' | 'lists'>,
  seen: RulesAnalysis['fields'],
): Choice[] {
  const toChoices = (names: readonly string[]) => names.map((name) => ({ value: name, name, count: null }));
  const isTyped = ({ name }: Choice) => foldCase(name).includes(foldCase(typed.trim()));
  if (column.kind === 'name') return [];
  const [mark] = column.kind === 'then' ? (hintPattern.exec(typed) ?? ['']) : [''];
  const names = column.kind === 'then' ? options.map((option) => `${mark}${option}`) : reason_codes;
  if (column.kind !== 'field') return toChoices(names).filter(isTyped);
  const { field } = column;
  const counted = seen.find(({ path }) => printPath(path) === column.id);
  const values = counted?.values.length ? counted.values : (field.values ?? []);
  const [, before = '', last = ''] = /^((?:.*,\s*|not\s+)?)(.*)$/is.exec(typed) ?? [];
  const taken = foldCase(before);
  const named = toChoices(Object.keys(lists).map((name) => `in lists.${name}`)).filter(isTyped);
  const known = values.flatMap((value, index) => {
    if (value === null || typeof value === 'object') return [];
    const name = writeValue(value, field.type);
    const isMeant = foldCase(name).includes(foldCase(last.trim())) && !taken.includes(foldCase(name));
    return isMeant ? [{ value: `${before}${name}`, name, count: counted?.counts[index] ?? null }] : [];
  });
  return [...known, ...named];
}
