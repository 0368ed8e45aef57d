/** Import of an example file: read whole, mapped, summed up and, where it is committed, made into rows: all or none. */
import type { z } from 'zod';
import type { ErrorDetail } from '../../engine/errors.ts';
import { exampleOperations, type ImportMapping, type ImportResult } from '../contract/examples.ts';
import { parsePart } from '../errors/parse-part.ts';
import { refuseProblems, toInvalidValue, toValidationError } from '../errors/validation-error.ts';
import { readJsonBody } from '../hot-path/json-body.ts';
import { createIdSource } from '../process/clock.ts';
import { type ExampleRows, ExampleRowWriter } from '../store/examples.ts';
import { readRecords, refuseFile } from './import-file.ts';
import {
  applyMapping,
  checkInputColumns,
  checkMapping,
  guessMapping,
  type ImportedExample,
  listInputColumns,
} from './import-mapping.ts';
import { type ExampleType, maxPreparedValues } from './prepare-examples.ts';

export type ImportRequest = z.output<(typeof exampleOperations)['examples.import']['body']>;

const maxListedColumns = 500;
const maxReportedProblems = 100;
const maxPreviewed = 20;
const maxUnknownDecisions = 100;

/**
 * Reads an example file, given as the body of its request or as the request, and says what is in it. With `commit` it
 * also gives the rows to insert. Throws `validation_error` with line and column of what cannot be read and, with
 * `commit`, of labels that the type does not have.
 */
export function readImport(order: { request: ImportRequest | Uint8Array; type: ExampleType; nowMs: number }): {
  result: ImportResult;
  rows: ExampleRows | null;
} {
  const { type, nowMs } = order;
  const request = order.request instanceof Uint8Array ? readRequest(order.request) : order.request;
  const records = readRecords(request.format, request.content);
  const columns = records.surveyColumns();
  const names = columns.map(({ name }) => name);
  const mapping = request.mapping ?? guessMapping(names);
  checkMapping(mapping, names);
  checkInputColumns(listInputColumns(names, mapping));
  const summary = startSummary(type, mapping);
  const newId = createIdSource(() => nowMs);
  const labelColumns = [mapping.decision, mapping.reason_codes].filter((name) => name !== null);
  const rows = request.commit ? new ExampleRowWriter(type.id, nowMs) : null;
  for (let index = 0; index < records.length; index += 1) {
    const isLabelEnough = !request.commit && mapping.input === null && index >= maxPreviewed;
    const example = applyMapping(records.at(index, isLabelEnough ? labelColumns : undefined), mapping);
    summary.add(example);
    if (rows === null) continue;
    rows.add({ id: newId(), ...example, test: false });
    refuseManyCharacters(rows.characters);
  }
  if (request.commit) refuseProblems(summary.problems);
  return {
    result: {
      committed: request.commit,
      mapping,
      columns: columns.slice(0, maxListedColumns),
      ...summary.finish(),
    },
    rows: rows?.finish() ?? null,
  };
}

function readRequest(bytes: Uint8Array): ImportRequest {
  const value = readJsonBody(bytes, maxPreparedValues);
  const request = parsePart(exampleOperations['examples.import'].body, value, 'body');
  if (!request.ok) throw toValidationError(request.problems);
  return request.value;
}

/** Characters of the rows that one import writes: in each, the names of the columns stand again. */
const maxWrittenCharacters = 64 * 1024 * 1024;

function refuseManyCharacters(characters: number): void {
  if (characters <= maxWrittenCharacters) return;
  const msg = 'the examples with the names of their columns take more than 64 MiB; import it in several parts';
  refuseFile([{ type: 'too_many', loc: ['body', 'content'], msg }]);
}

/** Starts to sum up what a file holds: `problems` are its labels that the type does not have. */
function startSummary({ definition }: ExampleType, mapping: ImportMapping) {
  const options = new Set(definition.options);
  const codes = new Set(definition.reason_codes);
  const byOption = new Map<string, number>();
  const unknown = new Map<string, ImportResult['unknown_decisions'][number]>();
  const preview: ImportResult['preview'] = [];
  const problems: ErrorDetail[] = [];
  let total = 0;
  let labelled = 0;
  const report = (line: number, column: string, value: string, problem: string) => {
    if (problems.length >= maxReportedProblems) return;
    problems.push(
      toInvalidValue(['body', 'content', line, column], `line ${line}: "${value.slice(0, 80)}" ${problem}`),
    );
  };
  const countDecision = (decision: string, line: number) => {
    labelled += 1;
    if (options.has(decision)) {
      byOption.set(decision, (byOption.get(decision) ?? 0) + 1);
      return;
    }
    report(line, mapping.decision ?? 'decision', decision, 'is not an option');
    const entry = unknown.get(decision) ?? { value: decision, count: 0, line };
    entry.count += 1;
    unknown.set(decision, entry);
  };
  return {
    problems,
    add({ line, input, decision, reasonCodes }: ImportedExample): void {
      total += 1;
      if (preview.length < maxPreviewed) {
        preview.push({ line, input_payload: input, expected_decision: decision, reason_codes: reasonCodes });
      }
      if (decision !== null) countDecision(decision, line);
      for (const code of reasonCodes) {
        if (!codes.has(code)) report(line, mapping.reason_codes ?? 'reason_codes', code, 'is not a reason code');
      }
    },
    finish: () => ({
      total,
      labelled,
      by_option: Object.fromEntries(byOption),
      unknown_decisions: [...unknown.values()].slice(0, maxUnknownDecisions),
      preview,
    }),
  };
}
