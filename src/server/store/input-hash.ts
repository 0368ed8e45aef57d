/** The hash by which an input is known again, in the program and in SQL. */
import type { Database } from 'better-sqlite3';
import { type JsonObject, toCanonicalJson } from '../../engine/json.ts';
import { hashString } from '../../engine/random.ts';

/** The hash by which an input is known again; held-out rows keep it when their example is deleted. */
export const hashInput = (input: JsonObject): number => hashString(toCanonicalJson(input));

/** Gives a connection the function of SQL `input_hash(json)`: `hashInput` of an input. */
export function addInputHash(db: Database): void {
  const hash = (json: unknown) => hashInput(JSON.parse(json as string) as JsonObject);
  db.function('input_hash', { deterministic: true, directOnly: true }, hash);
}
