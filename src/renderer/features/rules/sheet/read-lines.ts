/** Reading lines of a spreadsheet as rules, pasted or in a file; loaded when there are some. */

import { foldCase } from '../../../../engine/code-points.ts';
import type { Rule } from '../../../../engine/domain/definition.ts';
import { toLetters } from '../../../../engine/export/column-letters.ts';
import { splitLines } from '../../../../engine/import/tables/split-lines.ts';
import { nameSubject, printSubject } from '../../../../engine/rules/days.ts';
import { parseCondition } from '../../../../engine/rules/parsing/parse.ts';
import { findNearest } from '../../../../engine/rules/suggest.ts';
import { isolate } from '../../../parts/text/names.ts';
import type { TypeDraft } from '../../../state/drafts.ts';
import {
  lastColumns,
  nameColumn,
  type SheetColumn,
  type SheetField,
  type SheetRow,
  toField,
  toSheetRow,
  type Written,
  writeText,
} from './sheet.ts';
import { codeColumn } from './sheet-lines.ts';

type Head = SheetColumn | typeof codeColumn;

const ownHeads: readonly Head[] = [nameColumn, ...lastColumns, codeColumn];
const otherNames: Readonly<Record<string, Head['kind']>> = {
  name: 'name',
  decision: 'then',
  outcome: 'then',
  dann: 'then',
  ergebnis: 'then',
  entscheidung: 'then',
  'reason code': 'reason',
  reason_code: 'reason',
  condition: 'code',
};

export type GivenLine = { line: number; cells: readonly string[] };

/** Splits what was copied in a spreadsheet into its lines and cells. */
export function readLinesOfText(text: string): GivenLine[] {
  const lines: GivenLine[] = [];
  splitLines(text.replace(/^\ufeff/, ''), { separator: '\t', quote: '"' }, ({ cells }) => {
    lines.push({ line: lines.length + 1, cells });
    return true;
  });
  return lines;
}

/** Rules read from lines, the number of lines that make none, and the cells that were not understood. */
export type GivenRules = { rules: Rule[]; skipped: number; problems: string[] };

function readHead(
  names: readonly string[],
  fields: readonly SheetField[],
): { heads: (Head | null)[]; problems: string[] } {
  const problems: string[] = [];
  const heads = names.map((given): Head | null => {
    const name = given.trim();
    const lowered = foldCase(name);
    if (lowered === '' || lowered === '#') return null;
    const field =
      fields.find((each) => printSubject(each) === name) ??
      (ownHeads.some((own) => own.name === name)
        ? undefined
        : (fields.find((each) => nameSubject(each) === name) ??
          fields.find((each) => foldCase(nameSubject(each)) === lowered)));
    if (field) return { id: printSubject(field), name, kind: 'field', field };
    const own = ownHeads.find((each) => foldCase(each.name) === lowered || each.kind === otherNames[lowered]);
    if (own) return own;
    const nearest = findNearest(name, fields.map(nameSubject));
    const hint = nearest ? ` Did you mean ${isolate(nearest)}?` : '';
    problems.push(`The column “${isolate(name)}” is left out: no field has this name.${hint}`);
    return null;
  });
  return { heads, problems };
}

function writeCode(rule: Pick<Rule, 'condition'>, code: string): Written {
  if (rule.condition !== '') return { problem: 'This line has cells and code. Keep one of them.' };
  const [problem] = parseCondition(code).problems;
  return problem ? { problem: problem.message } : { patch: { condition: code } };
}

type SheetContext = { fields: readonly SheetField[]; draft: Pick<TypeDraft, 'options' | 'reason_codes'> };
/** Where a cell of the lines is, in words; whether the lines are all the rules, so that no two have one name. */
type Given = { toPlace(line: number, column: number, name: string): string; isWhole: boolean };

/** Reads lines, the first of which names the columns, as rules; a line with a problem makes none. */
function readLines(
  [first = { line: 1, cells: [] }, ...lines]: readonly GivenLine[],
  { fields, draft }: SheetContext,
  { toPlace, isWhole }: Given,
): GivenRules {
  const filled = lines.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const { heads, problems } = readHead(nameOutcome(first.cells, filled, fields, draft.options), fields);
  const kinds = heads.map((head) => head?.kind);
  const start = 'The first line must name the columns, exactly as in the table header:';
  const refuse = (why: string) => ({ rules: [], skipped: filled.length, problems: [`${start} ${why}`, ...problems] });
  if (!kinds.includes('then')) return refuse('one of them is “Then”.');
  if (!kinds.includes('field') && !kinds.includes('code')) return refuse('no field is among them.');
  const rules: Rule[] = [];
  for (const { line, cells } of filled) {
    let rule: Rule = { name: `rule ${line - first.line}`, condition: '', then: '', reason_code: null, priority: 0 };
    const wrong: string[] = [];
    heads.forEach((head, column) => {
      const text = cells[column]?.trim() ?? '';
      if (head === null || (text === '' && head.kind !== 'then')) return;
      const written =
        head.kind === 'code' ? writeCode(rule, text) : writeText(rule, head, text, draft, isWhole ? rules : []);
      if ('problem' in written) wrong.push(`${toPlace(line, column, first.cells[column] ?? '')}: ${written.problem}`);
      else rule = { ...rule, ...written.patch };
    });
    if (wrong.length === 0 && rule.condition === '') wrong.push(`Line ${line} has no condition.`);
    problems.push(...wrong);
    if (wrong.length === 0) rules.push(rule);
  }
  return { rules, skipped: filled.length - rules.length, problems };
}

/** The heads, with “Then” above the only unknown column of which every cell is an option, whatever it is called. */
function nameOutcome(
  names: readonly string[],
  lines: readonly GivenLine[],
  fields: readonly SheetField[],
  options: readonly string[],
): readonly string[] {
  const known = new Set(options.map(foldCase));
  const { heads } = readHead(names, fields);
  if (heads.some((head) => head?.kind === 'then')) return names;
  const isOutcome = (column: number) =>
    heads[column] === null && lines.every(({ cells }) => known.has(foldCase((cells[column] ?? '').trim())));
  const [column, ...others] = names.flatMap((_, at) => (lines.length > 0 && isOutcome(at) ? [at] : []));
  return column === undefined || others.length > 0 ? names : names.with(column, 'Then');
}

/** Whether the first of some lines names the columns of the others. */
export function namesColumns([first, ...lines]: readonly GivenLine[], { fields, draft }: SheetContext): boolean {
  if (first === undefined || lines.length === 0) return false;
  const { heads } = readHead(nameOutcome(first.cells, lines, fields, draft.options), fields);
  return heads.filter((head) => head !== null).length > 1;
}

/** Reads pasted lines, the first of which names the columns, as rules to be added. */
export function readPasted(lines: readonly GivenLine[], context: SheetContext): GivenRules {
  const toPlace = (line: number, _column: number, name: string) => `Line ${line}, ${isolate(name)}`;
  return readLines(lines, context, { toPlace, isWhole: false });
}

/** Tells a row from others: by its cells in any order, or its code. */
const toSign = ({ rule, cells }: SheetRow) =>
  JSON.stringify(cells ? [...cells].map(([id, { text }]) => [id, text]).sort() : rule.condition.trim());

/**
 * Reads the lines of a file as all the rules, in place of the current ones. A rule whose cells are as before keeps its
 * condition to the letter.
 */
export function readWhole(
  lines: readonly GivenLine[],
  { rows, columns }: { rows: readonly SheetRow[]; columns: readonly SheetColumn[] },
  { fields, draft }: SheetContext,
): GivenRules {
  const named = new Set(fields.map(printSubject));
  const used = columns.flatMap((column) => (column.kind === 'field' && !named.has(column.id) ? [column.field] : []));
  const known = [...fields, ...used];
  const toPlace = (line: number, column: number) => `${toLetters(column)}${line}`;
  const read = readLines(lines, { fields: known, draft }, { toPlace, isWhole: true });
  const old = new Map(rows.map((row) => [row.rule.name.trim(), row]));
  const find = toField(known);
  const rules = read.rules.map((rule) => {
    const before = old.get(rule.name);
    const isSame = before !== undefined && toSign(before) === toSign(toSheetRow(rule, 0, find));
    return isSame ? { ...rule, condition: before.rule.condition } : rule;
  });
  return { ...read, rules };
}
