/** An export of examples on its way back: matched with the examples of the type that it belongs to. */
import Database from 'better-sqlite3';
import { toInvalidValue } from '../../../door/errors/validation-error.ts';
import type { ErrorDetail } from '../../../engine/errors.ts';
import type { ExampleRecord } from '../../../engine/examples/fields.ts';
import {
  type Conflict,
  type ConflictChoice,
  type FileExample,
  type KnownExamples,
  type MergePlan,
  planMerge,
} from '../../../engine/export/merge.ts';
import { readExportedFields } from '../../../engine/export/read-back.ts';
import type { ImportedExample } from '../../../engine/import/planning/plan-file.ts';
import type { Sheet, SheetRow } from '../../../engine/import/sheet.ts';
import { listLines } from '../../../engine/import/tables/skipped.ts';
import { isJsonObject, toCanonicalJson } from '../../../engine/json.ts';
import { formatCount } from '../../../engine/numeric.ts';
import { blankMasks } from '../../../engine/pii.ts';
import { hashString } from '../../../engine/random.ts';
import type { ImportPlan } from '../../contract/examples/import-plan.ts';
import { createIdSource } from '../../process/clock.ts';
import { type RawExample, selectExamples, toExample } from '../../store/examples/example-fields.ts';
import { type ExampleMerges, writeMerges } from '../../store/examples/example-merges.ts';
import type { GivenLabels } from '../../store/examples/given-labels.ts';
import type { ExampleType } from '../examples/prepare-examples.ts';
import { collectUnknown } from './unknown-names.ts';

/** The type that a file belongs to, and where its examples are. */
export type OwnOrder = {
  type: ExampleType;
  nowMs: number;
  merge: { databaseFile: string; piiFields: readonly string[] };
};
type GivenExample = ExampleRecord & { given?: GivenLabels };
/** An export that was read: its rows, what they add and change, and what stands against that. */
export type OwnExport = { added: GivenExample[]; merges: ExampleMerges } & {
  merge: NonNullable<ImportPlan['merge']>;
  problems: ErrorDetail[];
};

const maxListedConflicts = 100;
const ownColumns = { decision: 'expected_decision', reasons: 'reason_codes' };

/** Reads an export of examples and compares it with those of its type. */
export function readOwnExport(sheet: Sheet, order: OwnOrder, choice: ConflictChoice): OwnExport {
  const newId = createIdSource(() => order.nowMs);
  const imported = sheet.rows.map(readRow);
  const file = sheet.rows.map((row, index) => toFileExample(row, imported[index] ?? readRow(row), order, newId));
  const db = new Database(order.merge.databaseFile, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    const known = openKnown(db, order.type.id);
    const plan = planMerge(file, known, choice);
    const added = giveIds(db, plan.added, newId);
    const unknown = collectUnknown(order.type.definition);
    for (const example of imported) unknown.add(example);
    const problems = [...unknown.listProblems(ownColumns), ...listProblems(plan.conflicts.length, choice)];
    const merge = { ...describeMerge(plan), unknown_decisions: unknown.listDecisions() };
    const again = listAgain(plan, known.findLabel, order.nowMs);
    const merges = writeMerges(order.type.id, order.nowMs, listChanged(plan), [...listReadings(plan), ...again]);
    return { added, merges, merge, problems };
  } finally {
    db.close();
  }
}

/** The newest examples of a type with which the rows of a file are compared. */
const maxCompared = 20_000;

/** The labels of each known input, by its hash. */
export type KnownLabels = ReadonlyMap<number, ReadonlySet<string>>;

/** Reads the labels of the newest examples of a type. */
export function readKnownLabels({ type, merge }: Pick<OwnOrder, 'type' | 'merge'>): KnownLabels {
  const db = new Database(merge.databaseFile, { readonly: true, fileMustExist: true, timeout: 5_000 });
  const labels = new Map<number, Set<string>>();
  try {
    const newest = db.prepare<[string], { input: string; decision: string | null }>(
      `SELECT input, decision FROM examples WHERE decision_type_id = ? ORDER BY seq DESC LIMIT ${maxCompared}`,
    );
    for (const { input, decision } of newest.iterate(type.id)) {
      const hash = hashString(toCanonicalJson(JSON.parse(input)));
      const known = labels.get(hash) ?? new Set();
      if (decision !== null) known.add(decision);
      labels.set(hash, known);
    }
  } finally {
    db.close();
  }
  return labels;
}

type ComparedRow = Pick<ImportedExample, 'line' | 'input' | 'decision'>;

/** Says how many rows of a file are examples of the type already, and which have another label there; null for none. */
export function describeKnown(rows: readonly ComparedRow[], labels: KnownLabels): string | null {
  const known = rows.flatMap(({ line, input, decision }) => {
    const given = labels.get(hashString(toCanonicalJson(input)));
    return given ? [{ line, isOther: decision !== null && given.size > 0 && !given.has(decision) }] : [];
  });
  if (known.length === 0) return null;
  const others = known.filter(({ isOther }) => isOther).map(({ line }) => line);
  const apart =
    others.length > 0
      ? `, ${formatCount(others.length)} with another label (line ${listLines(others, others.length)})`
      : '';
  return `${formatCount(known.length)} of ${formatCount(rows.length)} rows are here already${apart}; Findings lists equal inputs, where copies are deleted`;
}

/** The changed examples; of a label that was taken from the file, with its reader. */
const listChanged = ({ changed, matched }: MergePlan<GivenExample>) =>
  changed.map(({ example, expectedUpdatedAt }) => {
    const theirs = matched.get(example.id);
    const reader = theirs?.decision === example.decision ? (theirs?.given?.reader ?? null) : null;
    return { example, expectedUpdatedAt, reader };
  });

const listReadings = ({ matched }: MergePlan<GivenExample>) =>
  [...matched].flatMap(([exampleId, { given }]) =>
    given?.secondReading ? [[exampleId, given.secondReading] as const] : [],
  );

/** The second readings of a labelling page, each beside the label that the example has. */
const listAgain = (
  { readAgain, matched }: MergePlan<GivenExample>,
  findLabel: (example: ExampleRecord) => { reader: string | null; at: number },
  nowMs: number,
) =>
  readAgain.map(({ id, mine }) => {
    const theirs = matched.get(id);
    const first = findLabel(mine);
    const reading = {
      first_decision: mine.decision ?? '',
      ...{ first_reader: first.reader, first_at: first.at },
      decision: theirs?.decision ?? '',
      ...{ reader: theirs?.given?.reader ?? null, note: null },
      read_at: theirs?.given?.labelledAtMs ?? nowMs,
      settled_at: null,
    };
    return [id, reading] as const;
  });

/** Reads a row of an export, whose values are what they were. */
function readRow(row: SheetRow): ImportedExample {
  const values = 'values' in row ? row.values : {};
  const { input_payload: input, expected_decision: label, reason_codes: codes } = values;
  return {
    line: row.line,
    input: isJsonObject(input) ? input : {},
    decision: typeof label === 'string' ? label : null,
    reasonCodes: Array.isArray(codes) ? codes.map(String) : [],
    must: values['must'] === true,
  };
}

/** Makes the example of a row as it was where it was exported. */
function toFileExample(
  row: SheetRow,
  { line, input, decision, reasonCodes }: ImportedExample,
  { type, nowMs, merge }: OwnOrder,
  newId: () => string,
): FileExample<GivenExample> {
  const fields = readExportedFields('values' in row ? row.values : {});
  const { id, firstDecision, createdAtMs, updatedAtMs, mark, byTeacher, isBlind, ...rest } = fields;
  const { reader, labelledAtMs, secondReading, ...others } = rest;
  const { options } = type.definition;
  const isKnown = [secondReading?.decision, secondReading?.first_decision].every((option) =>
    options.includes(option ?? ''),
  );
  const updatedAt = Math.min(updatedAtMs ?? nowMs, nowMs);
  const isReading = isBlind && decision !== null && reader !== null;
  const isFirst = firstDecision !== null && options.includes(firstDecision) && firstDecision !== decision;
  return {
    line,
    isMasked: isReading || blankMasks(input, merge.piiFields).isMasked,
    ...(isReading ? { blindBy: reader } : {}),
    example: {
      ...others,
      ...{ id: isId(id) ? id : newId(), decisionTypeId: type.id, input, decision, reasonCodes },
      byTeacher: byTeacher && decision !== null,
      mark: decision === null || mark === 'flagged' ? mark : null,
      firstDecision: isFirst ? firstDecision : null,
      ...{ logId: null, audited: false, createdAt: Math.min(createdAtMs ?? updatedAt, updatedAt), updatedAt },
      given: { reader, labelledAtMs, secondReading: isKnown && decision !== null ? secondReading : null },
    },
  };
}

const isId = (text: string | null): text is string =>
  text !== null && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** Gives new examples other ids where theirs are taken. */
function giveIds(db: Database.Database, added: readonly GivenExample[], newId: () => string): GivenExample[] {
  const isTaken = db.prepare<[string], number>('SELECT 1 FROM examples WHERE id = ?').pluck();
  const used = new Set<string>();
  return added.map((example) => {
    const id = used.has(example.id) || isTaken.get(example.id) === 1 ? newId() : example.id;
    used.add(id);
    return { ...example, id };
  });
}

function openKnown(db: Database.Database, typeId: string) {
  const label = db.prepare<[string, string | null], { reader: string | null; at: number }>(
    `SELECT reader, given_at AS at FROM label_history
     WHERE example_id = ? AND decision = ? AND kind <> 'second_reading' ORDER BY seq DESC LIMIT 1`,
  );
  const reading = db.prepare<[string], { reader: string | null }>(
    'SELECT reader FROM second_readings WHERE example_id = ? AND decision IS NOT NULL',
  );
  const find = db.prepare<[string, string], RawExample>(`${selectExamples} WHERE id = ? AND decision_type_id = ?`);
  const inputs = db.prepare<[string], { id: string; input: string }>(
    'SELECT id, input FROM examples WHERE decision_type_id = ? ORDER BY seq',
  );
  const findExample = (id: string) => {
    const row = find.get(id, typeId);
    return row === undefined ? null : toExample(row);
  };
  const findLabel = ({ id, decision, createdAt }: ExampleRecord) =>
    label.get(id, decision) ?? { reader: null, at: createdAt };
  return {
    find: findExample,
    findLabel,
    listReaders: (example) => [findLabel(example).reader, ...reading.all(example.id).map(({ reader }) => reader)],
    listEqual(wanted) {
      if (wanted.size === 0) return [];
      // All inputs as texts would not fit the memory beside the file's.
      const hashes = new Set([...wanted].map((text) => hashString(text)));
      const ids: string[] = [];
      for (const { id, input } of inputs.iterate(typeId))
        if (hashes.has(hashString(toCanonicalJson(JSON.parse(input))))) ids.push(id);
      return ids.flatMap((id) => findExample(id) ?? []);
    },
  } satisfies KnownExamples<GivenExample> & { findLabel: unknown };
}

function describeMerge({ added, changed, settled, unchanged, conflicts, readAgain, gone }: MergePlan<GivenExample>) {
  const again = new Set(readAgain.map(({ id }) => id));
  return {
    added: added.length,
    changed: changed.filter(({ example }) => !again.has(example.id)).length - settled,
    unchanged,
    read_again: again.size,
    gone,
    conflicts: conflicts.length,
    items: conflicts.slice(0, maxListedConflicts).map(describeConflict),
  };
}

const describeConflict = ({ line, about, mine, theirs }: Conflict<GivenExample>) => ({
  ...{ line, about, example_id: mine.id, here: mine.decision, there: theirs.decision },
});

/** The problem of conflicts that nobody has settled, if there are any. */
function listProblems(conflicts: number, choice: ConflictChoice): ErrorDetail[] {
  if (conflicts === 0 || choice !== 'refuse') return [];
  const what = conflicts === 1 ? 'one example was' : `${conflicts} examples were`;
  const msg = `${what} changed here and in the file otherwise; choose keep (as here), take (as in the file) or flag (without a label, both in the note)`;
  return [toInvalidValue(['body', 'on_conflict'], msg)];
}
