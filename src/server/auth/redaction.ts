import { createHmac, createSecretKey } from 'node:crypto';
import type { Json, JsonObject } from '../../engine/domain.ts';
import { isMask, redactPii } from '../../engine/pii.ts';

/**
 * Makes the function that redacts personal fields before anything is written: every value that one of the dot paths can
 * mean becomes `pii:` and a keyed digest, so that the same value gives the same token and nothing can be read back. A
 * value that is such a token already stays, so that what was redacted before keeps its tokens.
 */
export function createPiiRedactor(serverKey: Buffer): (input: JsonObject, piiFields: readonly string[]) => JsonObject {
  // Made once: reading the key anew for each digest would take five times as long.
  const key = createSecretKey(serverKey);
  const token = (value: Json) => (isMask(value) ? value : makeToken(value));
  const makeToken = (value: Json) =>
    `pii:${createHmac('sha256', key).update('pii').update(JSON.stringify(value)).digest('hex').slice(0, 24)}`;
  return (input, piiFields) => redactPii(input, piiFields, token);
}
