/** Examples before they are stored: made from a request, with their labels checked. */

import { toInvalidValue, toUnknownOption } from '../../../door/errors/validation-error.ts';
import type { Definition } from '../../../engine/domain/definition.ts';
import type { ErrorDetail } from '../../../engine/errors.ts';
import { type ExampleRecord, type givenFlags, initialExample } from '../../../engine/examples/fields.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { compileStoringReadings } from '../../../engine/readings/readings.ts';
import type { Auth } from '../../auth/auth.ts';

/** The content of a new example, by default the user's own and not reviewed. */
type NewExample = Pick<ExampleRecord, 'input' | 'decision' | 'reasonCodes'> &
  Partial<Pick<ExampleRecord, 'source' | 'reviewed' | 'logId' | 'audited' | (typeof givenFlags)[number]>>;
/** A type, as far as an example of its log depends on it. */
type LoggedType = { piiFields: readonly string[]; activeVersion: { definition: Pick<Definition, 'readings'> } };
/** Where a problem with the labels of an example is reported. */
type LabelPlaces = { decision: ErrorDetail['loc']; reasonCode(index: number): ErrorDetail['loc'] };

/** Makes an example of a type, to be added with `addExamples`. */
export function newExample(
  deps: { newId(): string },
  type: { id: string },
  example: NewExample,
  createdAt: number,
): ExampleRecord {
  return {
    ...initialExample,
    byTeacher: example.source === 'synthetic',
    ...example,
    id: deps.newId(),
    decisionTypeId: type.id,
    createdAt,
    updatedAt: createdAt,
  };
}

/** Prepares making an example's input of a logged one: as the type reads it, personal fields redacted. */
export function compileLoggedInput({ auth }: { auth: Pick<Auth, 'redact'> }, type: LoggedType) {
  const read = compileStoringReadings(type.activeVersion.definition.readings);
  return (logged: JsonObject): JsonObject => auth.redact(read(logged).input, type.piiFields);
}

/** Lists labels and reason codes that the type does not have. */
export function listLabelProblems(
  definition: Pick<Definition, 'options' | 'reason_codes'>,
  labels: { decision?: string | null | undefined; reasonCodes?: readonly string[] | undefined },
  places: LabelPlaces,
): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  const { decision, reasonCodes = [] } = labels;
  if (typeof decision === 'string' && !definition.options.includes(decision)) {
    problems.push(toUnknownOption(places.decision, definition.options));
  }
  for (const [index, code] of reasonCodes.entries()) {
    if (definition.reason_codes.includes(code)) continue;
    problems.push(toInvalidValue(places.reasonCode(index), 'not a reason code of the decision type'));
  }
  return problems;
}
