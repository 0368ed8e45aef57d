/** What a sheet becomes: which column holds the labels, what each label means, which rows are imported. */
import type { Json, JsonObject } from '../../../engine/domain.ts';
import { isJsonObject } from '../../../engine/json.ts';
import type { ExampleInput } from '../../../server/contract/examples.ts';
import type { Sheet } from './sheet.ts';

export type ColumnRole = 'input' | 'decision' | 'reasons' | 'ignore';
/** What becomes of a label of the file: an option, a new option of this name, or no label. */
export type LabelTarget = { kind: 'option'; option: string } | { kind: 'add' } | { kind: 'none' };
export type LabelUse = { value: string; count: number; line: number };

export type PlannedRow = { line: number; example: ExampleInput };
export type Plan = {
  rows: PlannedRow[];
  labelled: number;
  /** Rows whose input and label stand in the file before; they are left out. */
  duplicates: { line: number; of: number }[];
  /** Rows whose input stands in the file before with another label; they are imported. */
  conflicts: { line: number; with: number }[];
  /** Options that the decision type does not have yet. */
  newOptions: string[];
  newReasons: string[];
};

const decisionNames = ['expected_decision', 'decision', 'label', 'class', 'target', 'outcome', 'category', 'verdict'];
const reasonNames = ['reason_codes', 'reason_code', 'reasons', 'reason'];
const maxOptions = 200;
/** A column of labels repeats its values: this many rows a value, on average. */
const minRowsPerValue = 3;
const maxLabelLength = 60;

const isBlank = (value: Json | undefined): boolean => value === null || value === undefined || value === '';
const toLabel = (value: Json | undefined): string => (typeof value === 'string' ? value.trim() : JSON.stringify(value));
const toKey = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');

/** The labels of a column with their counts, commonest first, and the line each is met first. */
export function listLabels(sheet: Sheet, column: string): LabelUse[] {
  const uses = new Map<string, LabelUse>();
  for (const { line, values } of sheet.rows) {
    const value = values[column];
    if (isBlank(value)) continue;
    const label = toLabel(value);
    const use = uses.get(label) ?? { value: label, count: 0, line };
    use.count += 1;
    uses.set(label, use);
  }
  return [...uses.values()].sort((a, b) => b.count - a.count);
}

/** How much a column looks like labels: by its values first, by its name second; 0 for not at all. */
function scoreAsLabels(sheet: Sheet, column: string, options: readonly string[]): number {
  const labels = listLabels(sheet, column);
  const filled = labels.reduce((sum, { count }) => sum + count, 0);
  if (filled === 0 || labels.length > maxOptions || labels.some(({ value }) => value.length > maxLabelLength)) return 0;
  const byName = decisionNames.includes(column.toLowerCase()) ? 0.5 : 0;
  if (options.length > 0) {
    const known = new Set(options.map(toKey));
    const fitting = labels.filter(({ value }) => known.has(toKey(value))).reduce((sum, { count }) => sum + count, 0);
    return fitting / filled > 0.5 ? 1 + fitting / filled + byName : 0;
  }
  if (labels.length < 2 || filled / labels.length < minRowsPerValue)
    return byName > 0 && labels.length >= 2 ? byName : 0;
  const areTexts = sheet.rows.every(({ values }) => typeof (values[column] ?? '') === 'string');
  return byName + (areTexts ? 0.3 : 0.05) + 0.1 / labels.length;
}

/** The role of every column; the labels are recognised by their values, so that the column may have any name. */
export function guessRoles(sheet: Sheet, options: readonly string[]): Record<string, ColumnRole> {
  const scored = sheet.columns
    .map((column) => ({ column, score: scoreAsLabels(sheet, column, options) }))
    .sort((a, b) => b.score - a.score);
  const decision = scored[0] && scored[0].score > 0 ? scored[0].column : null;
  const reasons = sheet.columns.find((column) => column !== decision && reasonNames.includes(column.toLowerCase()));
  return Object.fromEntries(
    sheet.columns.map((column) => [
      column,
      column === decision ? 'decision' : column === reasons ? 'reasons' : 'input',
    ]),
  );
}

/** Letters to change, add or leave out to make one word of another (Levenshtein 1966), up to `max`. */
function countEdits(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? max + 1;
}

const maxEdits = 2;
/** A value this much rarer than its neighbour is taken for a slip of the hand. */
const slipShare = 0.05;

/** What each label of the file means: an option of the same name, a slip of the hand for one, or a new option. */
export function guessTargets(labels: readonly LabelUse[], options: readonly string[]): Record<string, LabelTarget> {
  const known = new Map(options.map((option) => [toKey(option), option]));
  const targets: Record<string, LabelTarget> = {};
  for (const { value, count } of labels) {
    const same = known.get(toKey(value));
    const near = [...known].find(
      ([key, option]) =>
        key.length > maxEdits + 1 &&
        countEdits(toKey(value), key, maxEdits) <= maxEdits &&
        count <= slipShare * Math.max(1 / slipShare, labels.find((label) => label.value === option)?.count ?? 0),
    );
    const option = same ?? near?.[1];
    if (option !== undefined) targets[value] = { kind: 'option', option };
    else {
      targets[value] = { kind: 'add' };
      known.set(toKey(value), value);
    }
  }
  return targets;
}

const forbiddenSegment = '__proto__';

/** The input of a row: its columns, dotted names opened into objects. */
function toInput(values: JsonObject, columns: readonly string[]): JsonObject {
  const [only] = columns;
  const whole = columns.length === 1 && only !== undefined ? values[only] : undefined;
  if (whole !== undefined && isJsonObject(whole)) return whole;
  const input: JsonObject = {};
  for (const column of columns) {
    const value = values[column];
    const segments = column.split('.');
    const last = segments.pop();
    if (value === undefined || last === undefined || column.split('.').includes(forbiddenSegment)) continue;
    let place = input;
    for (const segment of segments) {
      const found = Object.hasOwn(place, segment) ? place[segment] : undefined;
      const inner: JsonObject = isJsonObject(found) ? found : {};
      place[segment] = inner;
      place = inner;
    }
    place[last] = value;
  }
  return input;
}

function toReasons(value: Json | undefined): string[] {
  if (isBlank(value)) return [];
  if (Array.isArray(value)) return value.map(String);
  return String(value)
    .split(/[;|]/)
    .map((code) => code.trim())
    .filter((code) => code !== '');
}

/** Works out the import: the examples, and what is double or contradicts itself in the file. */
export function makePlan(
  sheet: Sheet,
  roles: Readonly<Record<string, ColumnRole>>,
  targets: Readonly<Record<string, LabelTarget>>,
  type: { options: readonly string[]; reason_codes: readonly string[] },
): Plan {
  const named = (role: ColumnRole) => sheet.columns.filter((column) => roles[column] === role);
  const inputColumns = named('input');
  const [decisionColumn] = named('decision');
  const [reasonColumn] = named('reasons');
  const seen = new Map<string, { line: number; decision: string | null }>();
  const plan: Plan = { rows: [], labelled: 0, duplicates: [], conflicts: [], newOptions: [], newReasons: [] };
  const newOptions = new Set<string>();
  const newReasons = new Set<string>();
  for (const { line, values } of sheet.rows) {
    const label =
      decisionColumn === undefined || isBlank(values[decisionColumn]) ? null : toLabel(values[decisionColumn]);
    const target = label === null ? null : (targets[label] ?? { kind: 'none' });
    const decision = target?.kind === 'option' ? target.option : target?.kind === 'add' ? label : null;
    const input = toInput(values, inputColumns);
    const key = JSON.stringify(input);
    const earlier = seen.get(key);
    if (earlier && earlier.decision === decision) {
      plan.duplicates.push({ line, of: earlier.line });
      continue;
    }
    if (earlier) plan.conflicts.push({ line, with: earlier.line });
    else seen.set(key, { line, decision });
    if (decision !== null) plan.labelled += 1;
    if (decision !== null && !type.options.includes(decision)) newOptions.add(decision);
    const reason_codes = reasonColumn === undefined ? [] : toReasons(values[reasonColumn]);
    for (const code of reason_codes) if (!type.reason_codes.includes(code)) newReasons.add(code);
    plan.rows.push({ line, example: { input, decision, reason_codes } });
  }
  return { ...plan, newOptions: [...newOptions], newReasons: [...newReasons] };
}
