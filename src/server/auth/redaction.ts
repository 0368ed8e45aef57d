import { createHmac, createSecretKey } from 'node:crypto';
import type { Json, JsonObject } from '../../engine/json.ts';
import { isMask, redactPii } from '../../engine/pii.ts';

/**
 * Makes the function that replaces each value under a dot path by `pii:` and a keyed digest, the same for the same
 * value. Such a token stays.
 */
export function createPiiRedactor(serverKey: Buffer): (input: JsonObject, piiFields: readonly string[]) => JsonObject {
  // Made once: reading the key again for each digest would take five times as long.
  const key = createSecretKey(serverKey);
  const token = (value: Json) => (isMask(value) ? value : makeToken(value));
  const makeToken = (value: Json) =>
    `pii:${createHmac('sha256', key).update('pii').update(JSON.stringify(value)).digest('hex').slice(0, 24)}`;
  return (input, piiFields) => redactPii(input, piiFields, token);
}
