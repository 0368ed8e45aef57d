/** Examples as the wire has them, and the aliases under which a request may name their fields. */

import { toInvalidValue } from '../../../door/errors/validation-error.ts';
import type { Definition } from '../../../engine/domain/definition.ts';
import { pick } from '../../../engine/domain/records.ts';
import type { ErrorDetail } from '../../../engine/errors.ts';
import { type ExampleRecord, shownFlags } from '../../../engine/examples/fields.ts';
import type { JsonObject } from '../../../engine/json.ts';
import type { ReadInput } from '../../../engine/readings/readings.ts';
import type { Example, ExampleInput } from '../../contract/examples/examples.ts';
import { isoTime } from '../../process/clock.ts';
import { toExampleStatus } from '../../store/examples/examples.ts';
import { listLabelProblems } from './new-example.ts';

/** The fields of an example that a request names; the others are undefined. */
type ExampleFields = {
  input: JsonObject | undefined;
  decision: string | null | undefined;
  reasonCodes: string[] | undefined;
};

const aliases = [
  ['input_payload', 'input'],
  ['expected_decision', 'decision'],
  ['reason_codes', 'reason_code'],
] as const satisfies readonly (readonly [keyof ExampleInput, keyof ExampleInput])[];

/** An example in the contract's form. */
export function toExample(example: ExampleRecord): Example {
  return {
    id: example.id,
    decision_type_id: example.decisionTypeId,
    input_payload: example.input,
    expected_decision: example.decision,
    first_decision: example.firstDecision,
    reason_codes: example.reasonCodes,
    source: example.source,
    ...pick(example, shownFlags),
    status: toExampleStatus(example),
    note: example.note,
    labelled_by: example.decision === null ? null : example.byTeacher ? 'teacher' : 'person',
    created_at: isoTime(example.createdAt),
    updated_at: isoTime(example.updatedAt),
  };
}

/** Reads one example at `loc`, its texts by the readings, and checks its labels against the definition. */
export function readExampleFields(
  request: ExampleInput,
  definition: Pick<Definition, 'options' | 'reason_codes'>,
  readInput: (input: JsonObject) => ReadInput,
  loc: readonly (string | number)[],
): { fields: ExampleFields; problems: ErrorDetail[] } {
  const given = request.input_payload ?? request.input;
  const { input, misread } = given === undefined ? { misread: [] } : readInput(given);
  const fields: ExampleFields = {
    input,
    decision: request.expected_decision === undefined ? request.decision : request.expected_decision,
    reasonCodes: request.reason_codes ?? toList(request.reason_code),
  };
  const problems = aliases
    .filter(([name, alias]) => request[name] !== undefined && request[alias] !== undefined)
    .map(([name, alias]) => toInvalidValue([...loc, alias], `give either ${name} or ${alias}`));
  const inputField = request.input_payload === undefined ? 'input' : 'input_payload';
  problems.push(...misread.map((problem) => toInvalidValue([...loc, inputField], problem)));
  const decisionField = request.expected_decision === undefined ? 'decision' : 'expected_decision';
  problems.push(
    ...listLabelProblems(definition, fields, {
      decision: [...loc, decisionField],
      reasonCode: (index) =>
        request.reason_codes === undefined ? [...loc, 'reason_code'] : [...loc, 'reason_codes', index],
    }),
  );
  return { fields, problems };
}

/** A single reason code stands for a list of it, null for the empty list. */
function toList(code: string | null | undefined): string[] | undefined {
  if (code === undefined) return undefined;
  return code === null ? [] : [code];
}
