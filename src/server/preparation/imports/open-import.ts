/** The file of an open import, in the process that holds it: read once, and planned after each choice. */
import { readFile } from 'node:fs/promises';
import type { Readings } from '../../../engine/domain/definition.ts';
import { type ErrorDetail, WorkbenchError } from '../../../engine/errors.ts';
import type { ConflictChoice } from '../../../engine/export/merge.ts';
import { describeColumnLanguages } from '../../../engine/findings/column-languages.ts';
import { listLabels, readLabel } from '../../../engine/import/labels.ts';
import { proposeImport, type SurveyedSheet } from '../../../engine/import/plan-import.ts';
import { describeReadings, type RowsPlan } from '../../../engine/import/plan-rows.ts';
import {
  addChoice,
  addTargets,
  chooseReading,
  findSecond,
  type ImportChoices,
  keepKnown,
  settleColumns,
} from '../../../engine/import/planning/import-choices.ts';
import { openSheet, toFileProblem, toProblem, toSheetChoice } from '../../../engine/import/planning/import-file.ts';
import { type FilePlan, planColumns, planFile, planLabels } from '../../../engine/import/planning/plan-file.ts';
import { describePersonal } from '../../../engine/import/report.ts';
import { createRowPlanner, describePairs, type PlannedExample } from '../../../engine/import/row-reader.ts';
import { type Refusal, readCell, type Sheet, type SheetRow, UnreadableFile } from '../../../engine/import/sheet.ts';
import { countSpreads } from '../../../engine/import/spreads.ts';
import { surveyColumns, toText } from '../../../engine/import/survey.ts';
import {
  type ImportChoice,
  type ImportUpload,
  importOperations,
  type OpenImportPlan,
  type ReadLine,
} from '../../contract/examples/imports.ts';
import { openLanguageDetector } from '../../runtime/language-detector.ts';
import type { ExampleMerges } from '../../store/examples/example-merges.ts';
import type { ExampleType } from '../examples/prepare-examples.ts';
import { findRowProblem } from './import-mapping.ts';
import type { KnownLabels, OwnExport, OwnOrder } from './merge-export.ts';
import {
  describeCandidate,
  describeColumns,
  describeReport,
  listPersonal,
  maxComparedRows,
  readFields,
  readOwn,
} from './read-import.ts';
import { collectUnknown, ownMapping, type Written, writeOwn, writeRows } from './write-import.ts';

export type UploadSource = { path: string; contentType: string };
/** `type` is null where the import makes one. */
export type OpenOrder = {
  source: UploadSource;
  type: ExampleType | null;
  merge: OwnOrder['merge'];
  choices: ImportChoices;
  nowMs: number;
};
type Upload = { name: string; bytes: Uint8Array };
type ReadFile = SurveyedSheet & {
  key: string;
  name: string;
  languages: ReadonlyMap<string, string>;
  spreads: number[][];
  known: KnownLabels | null;
  lines: ReadLines | null;
};
/** The lines of a file and how each becomes an example, until something else is chosen (`key`). */
type ReadLines = { key: string; lines: (SheetRow | Refusal)[]; read(line: SheetRow | Refusal): ReadLine };
export type HeldFile = { upload: (Upload & { path: string }) | null; read: ReadFile | null };

/** A process that holds files has room for the rows as well. */
const maxMebibytes = 128;
const maxLabels = 2_000;
const maxPreviewed = 20;
const maxPreviewedCells = 2_000;
const maxCellsOfCall = 20_000;
const maxCellLength = 200;
const maxExampleCharacters = 1_000_000;
const maxRefused = 8;

async function readUpload({ path, contentType }: UploadSource): Promise<Upload & { fields: ImportUpload }> {
  const bytes = await readFile(path);
  const { file, ...fields } = await readFields({ bytes, contentType }, importOperations['imports.begin'].fileForm);
  return { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()), fields };
}

/** Reads what a form says beside its file; throws `validation_error`. */
export async function openUpload(
  { source }: { source: UploadSource },
  held: HeldFile,
): Promise<{ name: string; fields: ImportUpload }> {
  const { fields, ...upload } = await readUpload(source);
  held.upload = { ...upload, path: source.path };
  held.read = null;
  return { name: upload.name, fields };
}

/** Lets go of the file. */
export function forgetUpload(_: null, held: HeldFile): void {
  held.upload = null;
  held.read = null;
}

/** Puts what is wrong with a file into the message, too, which alone may be shown. */
function nameProblem({ code, message, details = [] }: WorkbenchError): WorkbenchError {
  const [first] = details;
  const what = typeof first === 'object' && first !== null && 'msg' in first ? ` (${String(first.msg)})` : '';
  return new WorkbenchError(code, `${message}${what}`, details);
}

/** Reads the file unless it is held already, read in the same way. */
async function hold({ source, type, merge, choices }: OpenOrder, held: HeldFile): Promise<ReadFile> {
  const readings = type?.definition.readings ?? {};
  const key = JSON.stringify([source.path, choices.reading, readings]);
  if (held.read?.key === key) return held.read;
  held.read = null;
  const { name, bytes } = held.upload?.path === source.path ? held.upload : await readUpload(source);
  held.upload = null;
  const sheet = await openSheet({ name, bytes }, toSheetChoice(choices.reading)).catch((error: unknown) => {
    if (error instanceof WorkbenchError) throw nameProblem(error);
    if (!(error instanceof UnreadableFile)) throw error;
    const { line, column, message } = error;
    throw new WorkbenchError('validation_error', message, [toFileProblem(line, column, message)]);
  });
  const surveys = surveyColumns(sheet, new Date().getUTCFullYear(), readings);
  held.read = {
    key,
    name,
    sheet,
    surveys,
    spreads: countSpreads(surveys, sheet),
    known: null,
    lines: null,
    languages: await describeColumnLanguages(sheet, surveys, openLanguageDetector),
  };
  if (type !== null && !sheet.isOwnExport && sheet.rows.length <= maxComparedRows) {
    const { readKnownLabels } = await import('./merge-export.ts');
    held.read.known = readKnownLabels({ type, merge });
  }
  return held.read;
}

function listCells(row: SheetRow, columns: readonly string[]) {
  const cells = columns.map((_, column) => {
    const cell = readCell(row, columns, column) ?? '';
    return toText(cell).slice(0, maxCellLength);
  });
  return { line: row.line, cells };
}

const toCounted = (kind: Parameters<typeof describePairs>[0], pairs: RowsPlan['repeated']) => ({
  count: pairs.length,
  sentence: describePairs(kind, pairs)[0] ?? null,
});

function describeFile({ name, sheet }: ReadFile, known: readonly string[]): OpenImportPlan['file'] {
  const { rows, detected, workbook, header, refused } = sheet;
  const first = refused.slice(0, maxRefused).map(({ line, message }) => ({ line, message }));
  return {
    name,
    rows: rows.length,
    detected,
    workbook,
    header,
    report: describeReport(sheet, known),
    refused: { count: refused.length, first },
  };
}

function describeOpened(
  file: ReadFile,
  { proposal, roles, read, labels, targets, near, rows }: FilePlan,
  known: readonly string[],
): Omit<OpenImportPlan, 'known' | 'merge'> {
  const { sheet, surveys, spreads, languages } = file;
  const personal = listPersonal(read, known);
  const { answers, asked, leaks, leftOut, second } = proposal;
  const columns = describeColumns(surveys, { read, proposal }, true).map((column, place) => {
    const { isDoubtful = false, filled = 0, distinct = 0 } = surveys[place] ?? {};
    const { name } = column;
    return {
      ...column,
      role: roles.get(name) ?? 'input',
      asked: asked.includes(name)
        ? (leaks.get(name)?.sentence ?? '')
        : name === second
          ? (leftOut.get(name) ?? null)
          : null,
      is_doubtful: isDoubtful,
      filled,
      distinct,
      spread: spreads[place] ?? [],
      language: languages.get(name) ?? null,
    };
  });
  const previewed = Math.min(maxPreviewed, Math.ceil(maxPreviewedCells / Math.max(1, surveys.length)));
  return {
    file: describeFile(file, describePersonal(personal, read.piiFields)),
    columns,
    personal,
    pii_fields: read.piiFields,
    answer: proposal.answer ?? null,
    answer_candidates: answers.candidates.map((candidate) => describeCandidate(candidate, surveys)),
    answer_is_certain: answers.isCertain,
    answers_are_several: answers.areSeveral,
    other_answers: [...proposal.otherAnswers],
    questions: read.questions,
    labels: labels.slice(0, maxLabels).map((label) => ({ ...label, target: targets[label.value] ?? { kind: 'none' } })),
    labels_total: labels.length,
    near,
    examples: rows.examples,
    labelled: rows.labelled,
    new_options: rows.newOptions,
    new_reason_codes: rows.newReasons,
    readings: rows.newReadings,
    second_reader: second,
    read_twice: { count: rows.readTwice, sentence: describeReadings(rows) },
    repeated: toCounted('repeated', rows.repeated),
    alike: toCounted('alike', rows.alike),
    conflicts: toCounted('conflicts', rows.conflicts),
    misfits: [...rows.misfits].map(([column, { refusal, count }]) => ({
      column,
      count,
      line: refusal.line,
      message: refusal.message,
    })),
    preview: sheet.rows.slice(0, previewed).map((row) => listCells(row, sheet.columns.slice(0, surveys.length))),
  };
}

function describeMerge({ merge, imported }: OwnExport, type: ExampleType): NonNullable<OpenImportPlan['merge']> {
  const unknown = collectUnknown(type.definition);
  for (const example of imported) unknown.add(example);
  return { ...merge, unknown_decisions: unknown.listDecisions() };
}

/** Plans the file of an import with a further choice. Throws `validation_error`. */
export async function planOpenImport(
  order: OpenOrder & { choice: ImportChoice },
  held: HeldFile,
): Promise<{ choices: ImportChoices; plan: OpenImportPlan }> {
  const { type, choice } = order;
  const reading = chooseReading(order.choices, choice);
  const file = await hold({ ...order, choices: reading }, held);
  const { columns } = file.sheet;
  const options = type?.definition.options ?? [];
  const kept = keepKnown(reading, columns);
  let choices = addChoice(kept, choice, proposeImport(file, options, kept.answer), columns);
  if (choice.settle) choices = settleColumns(choices, file, options);
  if (choice.targets !== undefined) {
    const proposal = proposeImport(file, options, choices.answer);
    const { answer } = proposal;
    const labels = answer == null ? [] : listLabels(file.sheet, answer, findSecond(choices, proposal));
    choices = addTargets(choices, choice.targets, labels, options);
  }
  const compared: PlannedExample[] = [];
  const isCompared = file.known !== null && file.known.size > 0;
  const planned = planFile(file, type, choices, isCompared ? (example) => void compared.push(example) : undefined);
  const own = type && (await readOwn(file.sheet, { ...order, type }, 'refuse'));
  const known = file.known === null ? null : (await import('./merge-export.ts')).describeKnown(compared, file.known);
  const merge = own === null || type === null ? null : describeMerge(own, type);
  return { choices, plan: { ...describeOpened(file, planned, order.merge.piiFields), known, merge } };
}

type RowsOrder = OpenOrder & { from: number; count: number; label: string | undefined; as: 'cells' | 'examples' };
type ReadRows = { rows: OpenImportPlan['preview']; examples: ReadLine[] | null; next: number | null };

/** Reads rows of the file as texts, all or those with a label, or as the examples that they become, to be decided. */
export async function readImportRows(order: RowsOrder, held: HeldFile): Promise<ReadRows> {
  const file = await hold(order, held);
  if (order.as === 'examples') return listExamples(file, order);
  const columns = file.sheet.columns.slice(0, file.surveys.length);
  const count = Math.min(order.count, Math.ceil(maxCellsOfCall / Math.max(1, columns.length)));
  const end = order.from + count;
  const found =
    order.label === undefined ? file.sheet.rows.slice(0, end + 1) : listLabelled(file, order, order.label, end + 1);
  const rows = found.slice(order.from, end).map((row) => listCells(row, columns));
  return { rows, examples: null, next: found.length > end ? end : null };
}

function listExamples(file: ReadFile, order: RowsOrder): ReadRows {
  const { lines, read } = readLines(file, order);
  const examples: ReadLine[] = [];
  let characters = 0;
  for (const line of lines.slice(order.from, order.from + order.count)) {
    const example = read(line);
    characters += JSON.stringify(example).length;
    if (examples.length > 0 && characters > maxExampleCharacters) break;
    examples.push(example);
  }
  const next = order.from + examples.length;
  return { rows: [], examples, next: next < lines.length ? next : null };
}

function readLines(file: ReadFile, { type, choices }: OpenOrder): ReadLines {
  const options = type?.definition.options ?? [];
  const key = JSON.stringify([choices, options]);
  if (file.lines?.key === key) return file.lines;
  const { sheet } = file;
  const { read } = planColumns(file, options, choices);
  const { columns } = read;
  const planner = createRowPlanner(sheet, read, planLabels(sheet, columns, options, choices).targets, 'keep', true);
  const lines = [...sheet.rows, ...sheet.refused].sort((one, other) => one.line - other.line);
  file.lines = {
    key,
    lines,
    read(line) {
      const found = 'message' in line ? toProblem(line) : (findRowProblem(line, columns) ?? planner.read(line));
      if ('loc' in found) return { line: line.line, input_payload: null, expected_decision: null, problem: found };
      return { line: line.line, input_payload: found.input, expected_decision: found.decision, problem: null };
    },
  };
  return file.lines;
}

/** The first rows with a label. */
function listLabelled(file: ReadFile, { type, choices }: RowsOrder, label: string, count: number): SheetRow[] {
  const { rows, columns } = file.sheet;
  const proposal = proposeImport(file, type?.definition.options ?? [], choices.answer);
  const places = [proposal.answer, findSecond(choices, proposal)]
    .map((name) => columns.indexOf(name ?? ''))
    .filter((at) => at >= 0);
  const found: SheetRow[] = [];
  for (const row of rows) {
    if (found.length === count) break;
    if (places.some((at) => readLabel(row, columns, at) === label)) found.push(row);
  }
  return found;
}

export type WrittenImport = Written & {
  names: { options: string[]; reason_codes: string[]; readings: Readings; pii_fields: string[] };
  merges: ExampleMerges | null;
  merge: OwnExport['merge'] | null;
};

type WriteOrder = OpenOrder & { typeId: string; onConflict: ConflictChoice; strict: boolean };

/** Writes the rows of an import for the type of an id. Throws `validation_error` for what is still open. */
export async function writeOpenImport(order: WriteOrder, held: HeldFile): Promise<WrittenImport> {
  const { type, choices, typeId, nowMs, strict: isStrict } = order;
  const file = await hold(order, held);
  const made = type ?? makeTypeOfExport(typeId, file.sheet, planFile(file, type, choices));
  const own = made && (await readOwn(file.sheet, { ...order, type: made }, order.onConflict));
  if (made && own) {
    const { options, reason_codes, readings } = made.definition;
    const names = type === null ? { options, reason_codes, readings } : { options: [], reason_codes: [], readings: {} };
    const { merges, merge } = own;
    return { ...writeOwn(own, made, { nowMs, maxMebibytes }), names: { ...names, pii_fields: [] }, merges, merge };
  }
  const planned = planColumns(file, type?.definition.options ?? [], choices);
  const asked = { type, typeId, choices, nowMs, maxMebibytes, isStrict, listOpen };
  const { plan, ...written } = writeRows(file.sheet, planned, asked);
  const { newOptions: options, newReasons: reason_codes, newReadings: readings } = plan.rows;
  const names = { options, reason_codes, readings, pii_fields: plan.read.piiFields ?? [] };
  return { ...written, names, merges: null, merge: null };
}

/** The type that an export of examples makes; null for another file, and where its columns or labels become others. */
function makeTypeOfExport(
  id: string,
  { isOwnExport }: Sheet,
  { read, labels, targets, rows }: FilePlan,
): ExampleType | null {
  const isWhole = read.columns.inputs.join() === 'input_payload' && read.columns.decision === ownMapping.decision;
  const areKept = labels.every(({ value }) => targets[value]?.kind === 'add');
  if (!isOwnExport || !isWhole || !areKept) return null;
  return { id, definition: { options: rows.newOptions, reason_codes: rows.newReasons, readings: {} } };
}

/** Lists what is asked and not answered, as problems of a commit. */
function listOpen({ read, near }: FilePlan): ErrorDetail[] {
  const questions = read.questions.map(({ about, column, sentence }) => ({ loc: [about, column], msg: sentence }));
  const labels = near
    .filter(({ is_open }) => is_open)
    .map(({ label, option }) => ({ loc: ['targets', label], msg: `is “${label}” the same as “${option}”?` }));
  return [...questions, ...labels].map(({ loc, msg }) => ({ type: 'ambiguous', loc: ['body', ...loc], msg }));
}
