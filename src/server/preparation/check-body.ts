import type { ErrorDetail } from '../../engine/errors.ts';
import type { Operation } from '../contract/operation.ts';
import { type OperationName, operations } from '../contract/operations.ts';
import { parsePart } from '../errors/parse-part.ts';
import { type Place, readJsonBody } from '../hot-path/json-body.ts';

/** Bounds a body checked elsewhere, so that the server's thread parses it again within some 50 ms. */
const maxValues = 524_288;

/**
 * Reads a body by an operation's schema (null: agent tools). Returns the refusal, and where whole numbers lose digits.
 * Throws as `readJsonBody`.
 */
export function checkBody(request: { bytes: Uint8Array; operation: OperationName | null }): {
  problems: ErrorDetail[];
  lostDigits: Place[] | null;
} {
  let lostDigits: Place[] | null = null;
  const value = readJsonBody(request.bytes, maxValues, (places) => {
    lostDigits = places;
  });
  if (request.operation === null) return { problems: [], lostDigits };
  const { body: schema, decides }: Operation = operations[request.operation];
  if (schema === undefined || decides) return { problems: [], lostDigits };
  const parsed = parsePart(schema, value, 'body');
  return { problems: parsed.ok ? [] : parsed.problems, lostDigits };
}
