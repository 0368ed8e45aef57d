/** Import of an example file: read whole, mapped, summed up and, where it is committed, made into rows: all or none. */
import type { ZodType, z } from 'zod';
import { readPart } from '../../../door/errors/parse-part.ts';
import { toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import type { ConflictChoice } from '../../../engine/export/merge.ts';
import type { Candidate } from '../../../engine/import/answers.ts';
import { describeReadings } from '../../../engine/import/plan-rows.ts';
import {
  type ImportFile,
  readSheet,
  refuseFile,
  type SheetFields,
  toSheetChoice,
} from '../../../engine/import/planning/import-file.ts';
import {
  type FilePlan,
  type ImportedExample,
  type PlannedColumns,
  planColumns,
  planExamples,
} from '../../../engine/import/planning/plan-file.ts';
import { describeFile, describePersonal } from '../../../engine/import/report.ts';
import { describePairs } from '../../../engine/import/row-reader.ts';
import type { Sheet, SheetRow } from '../../../engine/import/sheet.ts';
import { type ColumnSurvey, surveyColumns } from '../../../engine/import/survey.ts';
import { isPiiField } from '../../../engine/pii.ts';
import { readJsonBody } from '../../../engine/strict-json/json-body.ts';
import { parseJsonText } from '../../../engine/strict-json/json-faults.ts';
import { exampleOperations, type ImportResult } from '../../contract/examples/examples.ts';
import type { ExampleMerges } from '../../store/examples/example-merges.ts';
import type { ExampleRows } from '../../store/examples/examples.ts';
import type { ExampleType } from '../examples/prepare-examples.ts';
import { maxPreparedValues } from '../examples/prepare-examples.ts';
import { readForm } from '../read-form.ts';
import { chooseByMapping, findRowProblem, toMapping, toRequestProblem } from './import-mapping.ts';
import type { OwnExport, OwnOrder } from './merge-export.ts';
import { collectUnknown, ownMapping, writeOwn, writeRows } from './write-import.ts';

export type ImportRequest = z.output<(typeof exampleOperations)['examples.import']['body']>;

/** The processes of single calls have two thirds of the memory of those that hold files. */
const maxMebibytes = 64;
const maxListedColumns = 500;
const maxSampleLength = 200;
const maxCandidateValues = 5;
/** Rows of the preview, which ends before the one that makes it longer than this. */
const maxPreviewed = 20;
const maxPreviewCharacters = 1_000_000;
/** Rows of a file that are compared with the examples that are there. */
export const maxComparedRows = 20_000;

type ImportOrder = Omit<ImportRequest, 'content' | 'format'> & SheetFields & { file: ImportFile };
/** An import as the bytes of its body: JSON, or a form with the file. */
export type ImportBody = { bytes: Uint8Array; contentType: string };

/** A file that was read: what is in it and, where it is committed, what is added and changed. */
export type PreparedImport = { result: ImportResult; rows: ExampleRows | null; merges: ExampleMerges | null };

/** Reads an export; what opens the database is loaded for exports alone. Null for any other file. */
export async function readOwn(sheet: Sheet, order: OwnOrder, choice: ConflictChoice): Promise<OwnExport | null> {
  if (!sheet.isOwnExport) return null;
  const { readOwnExport } = await import('./merge-export.ts');
  return readOwnExport(sheet, order, choice);
}

/** Compares rows with the examples that are there; what opens the database is loaded for that alone. */
async function compareRows(rows: readonly ImportedExample[], order: OwnOrder): Promise<string[]> {
  const { describeKnown, readKnownLabels } = await import('./merge-export.ts');
  return [describeKnown(rows, readKnownLabels(order)) ?? []].flat();
}

/**
 * Says what is in an example file and, with `commit`, gives the rows. A child also says which are there already: that
 * takes as long as the newest examples are many. Throws `validation_error` with line and column,
 * for unknown labels, and for what only a mapping can tell.
 */
export async function readImport(
  order: OwnOrder & { request: ImportRequest | ImportBody },
  isInChild = true,
): Promise<PreparedImport> {
  const { type, nowMs } = order;
  const { file, ...request } = await readRequest(order.request);
  const sheet = await readSheet(file, toSheetChoice(request));
  const surveyed = { sheet, surveys: surveyColumns(sheet, new Date().getUTCFullYear(), type.definition.readings) };
  const own = await readOwn(sheet, order, request.on_conflict);
  const given = own === null ? request.mapping : ownMapping;
  const choices = chooseByMapping(surveyed, type.definition.options, given);
  const planned = planColumns(surveyed, type.definition.options, choices);
  const { columns, questions } = planned.read;
  const mapping = given ?? toMapping(planned);
  const bounds = { nowMs, maxMebibytes };
  const summary = startSummary(type);
  const compared: ImportedExample[] | null =
    isInChild && own === null && sheet.rows.length <= maxComparedRows ? [] : null;
  const use = (example: ImportedExample, row: SheetRow) => {
    const problem = findRowProblem(row, columns);
    if (problem !== null) refuseFile([problem]);
    summary.add(example);
    compared?.push(example);
  };
  for (const example of own?.imported ?? []) summary.add(example);
  const rest = own === null ? sheet : { ...sheet, rows: [] };
  const written = request.commit
    ? writeRows(rest, planned, { ...bounds, type, typeId: type.id, choices, isStrict: true, listOpen: listAsked }, use)
    : null;
  const plan = written?.plan ?? planExamples(rest, type, choices, planned, use);
  const ofOwn = request.commit && own !== null ? { ...writeOwn(own, type, bounds), merges: own.merges } : null;
  return {
    rows: (ofOwn ?? written)?.rows ?? null,
    merges: ofOwn?.merges ?? null,
    result: {
      committed: request.commit,
      mapping,
      columns: describeColumns(surveyed.surveys.slice(0, maxListedColumns), planned, request.mapping === undefined),
      answer_candidates: planned.proposal.answers.candidates.map((candidate) =>
        describeCandidate(candidate, surveyed.surveys),
      ),
      other_answers: [...planned.proposal.otherAnswers],
      questions,
      report: describeReport(sheet, [
        ...describePersonal(listPersonal(planned.read, order.merge.piiFields), planned.read.piiFields),
        ...[describeReadings(plan.rows) ?? []].flat(),
        ...describePairs('repeated', plan.rows.repeated),
        ...describePairs('alike', plan.rows.alike),
        ...describePairs('conflicts', plan.rows.conflicts),
        ...(compared === null ? [] : await compareRows(compared, order)),
      ]),
      repeated: plan.rows.repeated.length,
      sheets: sheet.workbook?.sheets ?? [],
      header_line: sheet.header?.line ?? null,
      readings: plan.rows.newReadings,
      merge: own?.merge ?? null,
      ...summary.finish(),
    },
  };
}

const listAsked = ({ read }: FilePlan) => read.questions.map(toRequestProblem);

/** Columns of the input that tell who somebody is, without those that are `known` as personal fields. */
export const listPersonal = ({ personal }: PlannedColumns['read'], known: readonly string[]): string[] =>
  personal.filter((name) => !isPiiField([name], known));

/** Says of each column what is in it, how it is read and why. */
export function describeColumns(
  surveys: readonly ColumnSurvey[],
  { proposal: { leaks, leftOut }, read: { kinds, columns } }: Pick<PlannedColumns, 'proposal' | 'read'>,
  isProposed: boolean,
): ImportResult['columns'] {
  return surveys.map(({ name, type, samples, kind, reason, choices }) => ({
    name,
    kind: type,
    samples: samples.map((sample) => sample.slice(0, maxSampleLength)),
    read_as: kinds.get(name) ?? kind,
    reason,
    choices,
    left_out: (isProposed ? leftOut.get(name) : null) ?? null,
    explains: leaks.get(name)?.explains ?? null,
    doubt: columns.inputs.includes(name) ? (leaks.get(name)?.sentence ?? null) : null,
  }));
}

/** Says how a file was read, and what is `known` beside that. */
export function describeReport(sheet: Sheet, known: readonly string[]): ImportResult['report'] {
  const { encoding, delimiter, quote, skipped, notes } = sheet;
  return {
    encoding: encoding?.name ?? null,
    encodings: encoding?.choices ?? [],
    delimiter: delimiter ?? null,
    quote: quote ?? null,
    account: [...describeFile(sheet), ...known],
    skipped,
    notes,
  };
}

/** Says why a column could hold the labels, and its commonest values. */
export function describeCandidate({ column, why }: Candidate, surveys: readonly ColumnSurvey[]) {
  const uses = surveys.find(({ name }) => name === column)?.uses ?? new Map<string, number>();
  return { column, why, values: Object.fromEntries([...uses].slice(0, maxCandidateValues)) };
}

async function readRequest(given: ImportRequest | ImportBody): Promise<ImportOrder> {
  if ('bytes' in given && !given.contentType.startsWith('application/json')) {
    const { file, ...request } = await readFields(given, exampleOperations['examples.import'].fileForm);
    return { ...request, file: { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) } };
  }
  const { content, format = null, ...request } = 'bytes' in given ? parseRequest(given.bytes) : given;
  return { ...request, file: { content, format } };
}

const parseRequest = (bytes: Uint8Array): ImportRequest =>
  readPart(exampleOperations['examples.import'].body, readJsonBody(bytes, maxPreparedValues));

/** Fields of a form that are texts as they stand. */
const plainFields = new Set(['sheet', 'delimiter', 'quote', 'encoding', 'on_conflict', 'decision_type_id', 'name']);

/** Reads the parts of a form: the file, texts as they stand, and the other fields as JSON. */
export async function readFields<S extends ZodType>(
  { bytes, contentType }: ImportBody,
  schema: S,
): Promise<z.output<S>> {
  const form = await readForm(bytes, contentType);
  const fields: Record<string, unknown> = {};
  for (const [name, value] of form) {
    const isPlain = typeof value !== 'string' || plainFields.has(name);
    const parsed = isPlain ? { ok: true as const, value } : parseJsonText(value);
    fields[name] = parsed.ok ? parsed.value : refuseField(name, `this field is not JSON: ${parsed.fault.message}`);
  }
  return readPart(schema, fields);
}

function refuseField(field: string, msg: string): never {
  throw toValidationError([toInvalidValue(['body', field], msg)]);
}

function startSummary({ definition }: ExampleType) {
  const byOption = new Map(definition.options.map((option) => [option, 0]));
  const unknown = collectUnknown(definition);
  const preview: ImportResult['preview'] = [];
  let previewCharacters = 0;
  let total = 0;
  let labelled = 0;
  return {
    unknown,
    add(example: ImportedExample): void {
      const { line, input, decision, reasonCodes } = example;
      total += 1;
      if (total <= maxPreviewed && previewCharacters <= maxPreviewCharacters) {
        const row = { line, input_payload: input, expected_decision: decision, reason_codes: reasonCodes };
        previewCharacters += JSON.stringify(row).length;
        if (previewCharacters <= maxPreviewCharacters) preview.push(row);
      }
      unknown.add(example);
      if (decision === null) return;
      labelled += 1;
      const count = byOption.get(decision);
      if (count !== undefined) byOption.set(decision, count + 1);
    },
    finish: () => ({
      total,
      labelled,
      by_option: Object.fromEntries([...byOption].filter(([, count]) => count > 0)),
      unknown_decisions: unknown.listDecisions(),
      preview,
    }),
  };
}
