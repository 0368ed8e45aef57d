import { createHmac } from 'node:crypto';
import type { Json, JsonObject } from '../../engine/domain.ts';

/**
 * Makes the function that replaces personal fields before anything is written: the value at each dot path becomes
 * `pii:` and a keyed digest, so that the same value gives the same token and nothing can be read back. A path
 * through an array applies to each of its elements. The input itself is left as it is.
 */
export function createRedaction(serverKey: Buffer): (input: JsonObject, piiFields: readonly string[]) => JsonObject {
  const token = (value: Json) =>
    `pii:${createHmac('sha256', serverKey).update('pii').update(JSON.stringify(value)).digest('hex').slice(0, 24)}`;

  const replace = (value: Json, segments: readonly string[]): Json => {
    if (segments.length === 0) return value === null ? null : token(value);
    if (Array.isArray(value)) return value.map((member) => replace(member, segments));
    if (typeof value !== 'object' || value === null) return value;
    // a key may itself hold dots: the longest own key that fits wins
    for (let length = segments.length; length >= 1; length -= 1) {
      const key = segments.slice(0, length).join('.');
      if (!Object.hasOwn(value, key)) continue;
      return { ...value, [key]: replace(value[key] as Json, segments.slice(length)) };
    }
    return value;
  };

  return (input, piiFields) => {
    let redacted: Json = input;
    for (const path of piiFields) redacted = replace(redacted, path.split('.'));
    return redacted as JsonObject;
  };
}
