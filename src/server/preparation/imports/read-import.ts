/** An import in one call: a file that is read, mapped, planned and, where it is committed, written: all or none. */
import type { z } from 'zod';
import { readPart } from '../../../door/errors/parse-part.ts';
import { type ImportFile, refuseLines, type SheetFields } from '../../../engine/import/planning/import-file.ts';
import {
  type FilePlan,
  type ImportedExample,
  planColumns,
  planExamples,
} from '../../../engine/import/planning/plan-file.ts';
import { readJsonBody } from '../../../engine/strict-json/json-body.ts';
import { exampleOperations, type ImportResult } from '../../contract/examples/examples.ts';
import type { ExampleMerges } from '../../store/examples/example-merges.ts';
import type { ExampleRows } from '../../store/examples/examples.ts';
import { maxPreparedValues } from '../examples/prepare-examples.ts';
import { type ImportBody, readImportForm } from './import-form.ts';
import { chooseByMapping, refuseBrokenRow, toRequestProblem } from './import-mapping.ts';
import { compareExamples, describePlan, readImportedFile } from './imported-file.ts';
import type { OwnOrder } from './merge-export.ts';
import { ownMapping, readOwn, writeImport } from './write-import.ts';

export type ImportRequest = z.output<(typeof exampleOperations)['examples.import']['body']>;
type ImportOrder = Omit<ImportRequest, 'content' | 'format'> & SheetFields & { file: ImportFile };

/** First examples of an answer, which end before the one that makes them longer than this. */
const maxFirst = 20;
const maxFirstCharacters = 1_000_000;

/** A file that was read: what becomes of it and, where it is committed, what is added and changed. */
export type PreparedImport = { result: ImportResult; rows: ExampleRows | null; merges: ExampleMerges | null };

/**
 * Says what becomes of an example file and, with `commit`, gives the rows. A child also says which are there already:
 * that takes as long as the newest examples are many. Throws `validation_error` with line and column, for unknown
 * labels, and for what only a mapping can tell.
 */
export async function readImport(
  order: OwnOrder & { request: ImportRequest | ImportBody },
  isInChild = true,
): Promise<PreparedImport> {
  const { type, merge, nowMs } = order;
  const { file: given, mapping, commit, on_conflict: onConflict, ...reading } = await readRequest(order.request);
  const file = await readImportedFile(given, reading, order, isInChild);
  const { sheet } = file;
  refuseLines(sheet);
  const { options } = type.definition;
  const choices = chooseByMapping(file, options, sheet.isOwnExport ? ownMapping : mapping);
  const planned = planColumns(file, options, choices);
  if (!sheet.isOwnExport) refuseBrokenRow(sheet, planned.read.columns);
  const compared = compareExamples(file);
  const first = listFirst();
  const use = (example: ImportedExample) => {
    compared.add(example);
    first.add(example);
  };
  const asked = { type, typeId: type.id, merge, choices, nowMs, onConflict, isStrict: true, listOpen: listAsked };
  const written = commit ? await writeImport(sheet, planned, asked, use) : null;
  const plan = written?.plan ?? planExamples(sheet, type, choices, planned, use);
  const merged = written === null ? ((await readOwn(sheet, order, onConflict))?.merge ?? null) : written.merge;
  const known = await compared.describe();
  return {
    rows: written?.rows ?? null,
    merges: written?.merges ?? null,
    result: {
      ...describePlan(file, plan, { piiFields: merge.piiFields, known, merge: merged }),
      ...{ committed: commit, first_examples: first.examples },
    },
  };
}

const listAsked = ({ read }: FilePlan) => read.questions.map(toRequestProblem);

async function readRequest(given: ImportRequest | ImportBody): Promise<ImportOrder> {
  if ('bytes' in given && !given.contentType.startsWith('application/json')) {
    const { file, fields } = await readImportForm(given, exampleOperations['examples.import'].fileForm);
    return { ...fields, file };
  }
  const { content, format = null, ...request } = 'bytes' in given ? parseRequest(given.bytes) : given;
  return { ...request, file: { content, format } };
}

const parseRequest = (bytes: Uint8Array): ImportRequest =>
  readPart(exampleOperations['examples.import'].body, readJsonBody(bytes, maxPreparedValues));

function listFirst() {
  const examples: ImportResult['first_examples'] = [];
  let characters = 0;
  return {
    examples,
    add({ line, input, decision, reasonCodes }: ImportedExample): void {
      if (examples.length === maxFirst || characters > maxFirstCharacters) return;
      const row = { line, input_payload: input, expected_decision: decision, reason_codes: reasonCodes };
      characters += JSON.stringify(row).length;
      if (characters <= maxFirstCharacters) examples.push(row);
    },
  };
}
