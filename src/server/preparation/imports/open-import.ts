/** The file of an open import, in the process that holds it: read once, and planned after each choice. */
import { readFile } from 'node:fs/promises';
import type { ErrorDetail } from '../../../engine/errors.ts';
import type { ConflictChoice } from '../../../engine/export/merge.ts';
import { describeColumnLanguages } from '../../../engine/findings/column-languages.ts';
import { readLabel } from '../../../engine/import/labels.ts';
import { chooseReading, type ImportChoices } from '../../../engine/import/planning/import-choices.ts';
import { toProblem } from '../../../engine/import/planning/import-file.ts';
import { type FilePlan, planChoice, planColumns } from '../../../engine/import/planning/plan-file.ts';
import { createRowPlanner } from '../../../engine/import/row-reader.ts';
import type { Refusal, SheetRow } from '../../../engine/import/sheet.ts';
import type { ImportPlan } from '../../contract/examples/import-plan.ts';
import {
  type ImportChoice,
  type ImportUpload,
  importOperations,
  type ReadLine,
} from '../../contract/examples/imports.ts';
import { openLanguageDetector } from '../../runtime/language-detector.ts';
import { readImportForm } from './import-form.ts';
import { findRowProblem } from './import-mapping.ts';
import {
  compareExamples,
  describePlan,
  type ImportedFile,
  type ImportTarget,
  listCells,
  readImportedFile,
} from './imported-file.ts';
import { readOwn, type WrittenImport, writeImport } from './write-import.ts';

export type UploadSource = { path: string; contentType: string };
export type OpenOrder = ImportTarget & { source: UploadSource; choices: ImportChoices; nowMs: number };
type Upload = { name: string; bytes: Uint8Array };
type HeldImport = ImportedFile & { key: string; lines: ReadLines | null };
/** The lines of a file and how each becomes an example, until something else is chosen (`key`). */
type ReadLines = { key: string; lines: (SheetRow | Refusal)[]; read(line: SheetRow | Refusal): ReadLine };
export type HeldFile = { upload: (Upload & { path: string }) | null; read: HeldImport | null };

const maxCellsOfCall = 20_000;
const maxExampleCharacters = 1_000_000;

async function readUpload({ path, contentType }: UploadSource) {
  return readImportForm({ bytes: await readFile(path), contentType }, importOperations['imports.begin'].fileForm);
}

/** Reads what a form says beside its file; throws `validation_error`. */
export async function openUpload(
  { source }: { source: UploadSource },
  held: HeldFile,
): Promise<{ name: string; fields: ImportUpload }> {
  const { fields, file } = await readUpload(source);
  held.upload = { ...file, path: source.path };
  held.read = null;
  return { name: file.name, fields };
}

/** Lets go of the file. */
export function forgetUpload(_: null, held: HeldFile): void {
  held.upload = null;
  held.read = null;
}

/** Reads the file unless it is held already, read in the same way. */
async function hold(order: OpenOrder, held: HeldFile): Promise<HeldImport> {
  const { source, type, choices } = order;
  const key = JSON.stringify([source.path, choices.reading, type?.definition.readings]);
  if (held.read?.key === key) return held.read;
  held.read = null;
  const file = held.upload?.path === source.path ? held.upload : (await readUpload(source)).file;
  held.upload = null;
  const read = await readImportedFile(file, choices.reading, order, true);
  const languages = await describeColumnLanguages(read.sheet, read.surveys, openLanguageDetector);
  held.read = { ...read, languages, key, lines: null };
  return held.read;
}

/** Plans the file of an import with a further choice. Throws `validation_error`. */
export async function planOpenImport(
  order: OpenOrder & { choice: ImportChoice },
  held: HeldFile,
): Promise<{ choices: ImportChoices; plan: ImportPlan }> {
  const { type, choice, merge } = order;
  const former = chooseReading(order.choices, choice);
  const file = await hold({ ...order, choices: former }, held);
  const compared = compareExamples(file);
  const { choices, plan } = planChoice(file, type, { former, choice }, compared.add);
  const own = type && (await readOwn(file.sheet, { ...order, type }, 'refuse'));
  const beside = { piiFields: merge.piiFields, known: await compared.describe(), merge: own?.merge ?? null };
  return { choices, plan: describePlan(file, plan, beside) };
}

type RowsOrder = OpenOrder & { from: number; count: number; label: string | undefined; as: 'cells' | 'examples' };
type ReadRows = { rows: ImportPlan['preview']; examples: ReadLine[] | null; next: number | null };

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

function listExamples(file: HeldImport, order: RowsOrder): ReadRows {
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

function readLines(file: HeldImport, { type, choices }: OpenOrder): ReadLines {
  const options = type?.definition.options ?? [];
  const key = JSON.stringify([choices, options]);
  if (file.lines?.key === key) return file.lines;
  const { sheet } = file;
  const { read, targets } = planColumns(file, options, choices);
  const { columns } = read;
  const planner = createRowPlanner(sheet, read, targets, 'keep', true);
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
function listLabelled(file: HeldImport, { type, choices }: RowsOrder, label: string, count: number): SheetRow[] {
  const { rows, columns } = file.sheet;
  const { decision, second } = planColumns(file, type?.definition.options ?? [], choices).read.columns;
  const places = [decision, second].flatMap((name) => (name == null ? [] : [columns.indexOf(name)]));
  const found: SheetRow[] = [];
  for (const row of rows) {
    if (found.length === count) break;
    if (places.some((at) => readLabel(row, columns, at) === label)) found.push(row);
  }
  return found;
}

type WriteOrder = OpenOrder & { typeId: string; onConflict: ConflictChoice; strict: boolean };

/** Writes the rows of an import for the type of an id. Throws `validation_error` for what is still open. */
export async function writeOpenImport({ strict, ...order }: WriteOrder, held: HeldFile): Promise<WrittenImport> {
  const file = await hold(order, held);
  const planned = planColumns(file, order.type?.definition.options ?? [], order.choices);
  const { plan: _, ...written } = await writeImport(file.sheet, planned, { ...order, isStrict: strict, listOpen });
  return written;
}

/** Lists what is asked and not answered, as problems of a commit. */
function listOpen({ read, near }: FilePlan): ErrorDetail[] {
  const questions = read.questions.map(({ about, column, sentence }) => ({ loc: [about, column], msg: sentence }));
  const labels = near
    .filter(({ is_open }) => is_open)
    .map(({ label, option }) => ({ loc: ['targets', label], msg: `is “${label}” the same as “${option}”?` }));
  return [...questions, ...labels].map(({ loc, msg }) => ({ type: 'ambiguous', loc: ['body', ...loc], msg }));
}
