/** The checks of large input schemas, written outside the main thread and kept for the deciders that load them. */
import type { JsonObject } from '../../engine/domain.ts';
import { createRecentCache } from './recent-cache.ts';

/** A check may have a million characters. */
const maxKeptChecks = 16;
/** Characters of a schema as JSON whose check is written in a few milliseconds. */
const maxLightCharacters = 1_000;

/** Keeps the checks used last, each by the text of its schema. */
export class InputChecks {
  private readonly kept = createRecentCache<string, string>(maxKeptChecks);

  /** Keeps the check of a schema; that of a small one is written again sooner than found. */
  keep(schema: JsonObject, code: string): void {
    const key = JSON.stringify(schema);
    if (key.length > maxLightCharacters) this.kept.set(key, code);
  }

  /** The check of a schema; null where it was never kept, or too long ago. */
  find(schema: JsonObject): string | null {
    return this.kept.get(JSON.stringify(schema)) ?? null;
  }

  /** Whether the check of a schema takes long to write and is not known. */
  isMissing(schema: JsonObject): boolean {
    const key = JSON.stringify(schema);
    return key.length > maxLightCharacters && this.kept.get(key) === undefined;
  }
}
