/** The examples of one call: checked against their type, made, and written out as rows and as the answer. */
import type { z } from 'zod';
import { readPart } from '../../../door/errors/parse-part.ts';
import { refuseProblems, toInvalidValue } from '../../../door/errors/validation-error.ts';
import { lostDigits } from '../../../engine/bundle/unread.ts';
import type { Definition } from '../../../engine/domain/definition.ts';
import { byName } from '../../../engine/domain/records.ts';
import type { ErrorDetail } from '../../../engine/errors.ts';
import { type ExampleRecord, givenFlags } from '../../../engine/examples/fields.ts';
import { compileReadings } from '../../../engine/readings/readings.ts';
import { type Place, readJsonBody } from '../../../engine/strict-json/json-body.ts';
import { exampleOperations } from '../../contract/examples/examples.ts';
import { createIdSource } from '../../process/clock.ts';
import { type ExampleRows, ExampleRowWriter } from '../../store/examples/examples.ts';
import { readExampleFields, toExample } from './example-wire.ts';
import { newExample } from './new-example.ts';

export type ExampleType = { id: string; definition: Pick<Definition, 'options' | 'reason_codes' | 'readings'> };
type Request = z.output<(typeof exampleOperations)['examples.create']['body']>;

/** Values that the examples of one call may hold together; they fit the memory of the process that reads them. */
export const maxPreparedValues = 1_500_000;
const maxReportedProblems = 100;

/** Makes the examples of a request; throws `validation_error` with the first hundred problems. */
export function makeExamples({ examples }: Request, type: ExampleType, nowMs: number): ExampleRecord[] {
  const problems: ErrorDetail[] = [];
  const newId = createIdSource(() => nowMs);
  const readInput = compileReadings(type.definition.readings);
  const made = examples.map((request, index) => {
    const loc = ['body', 'examples', index];
    const { fields, problems: found } = readExampleFields(request, type.definition, readInput, loc);
    problems.push(...found);
    const { input, decision = null, reasonCodes = [] } = fields;
    if (input === undefined) {
      problems.push({ type: 'missing', loc: [...loc, 'input_payload'], msg: 'input_payload is required' });
    }
    return newExample(
      { newId },
      type,
      { input: input ?? {}, decision, reasonCodes, ...byName(givenFlags, (flag) => request[flag] ?? false) },
      nowMs,
    );
  });
  refuseProblems(problems.slice(0, maxReportedProblems));
  return made;
}

/** Refuses whole numbers that lose digits as doubles, such as ids: the examples would hold values that nobody sent. */
export function refuseLostDigits(places: readonly Place[]): void {
  refuseProblems(places.slice(0, maxReportedProblems).map((place) => toInvalidValue(['body', ...place], lostDigits)));
}

/** Reads the body of a call that adds examples into rows to insert and the answer; throws its faults. */
export function prepareExamples(order: { bytes: Uint8Array; type: ExampleType; nowMs: number }): {
  rows: ExampleRows;
  answer: Uint8Array;
} {
  const value = readJsonBody(order.bytes, maxPreparedValues, refuseLostDigits);
  const request = readPart(exampleOperations['examples.create'].body, value);
  const examples = makeExamples(request, order.type, order.nowMs);
  return {
    rows: writeRows(examples, order),
    answer: Buffer.from(JSON.stringify(examples.map(toExample))),
  };
}

/** Writes the examples of a call out as rows to insert. */
export function writeRows(
  examples: readonly ExampleRecord[],
  { type, nowMs }: { type: Pick<ExampleType, 'id'>; nowMs: number },
): ExampleRows {
  const rows = new ExampleRowWriter(type.id, nowMs);
  for (const example of examples) rows.add(example);
  return rows.finish();
}
