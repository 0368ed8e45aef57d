/**
 * RE2JS, loaded with the first bundle that has patterns. The build puts this file in the place of the package, which is
 * a quarter of all script, and most bundles have none.
 */
import type { RE2JS as Re2 } from 're2js';

/** @public The engine reads it in the place of the package's. */
export let RE2JS: typeof Re2;

/** Loads the engine of patterns. */
export async function loadPatterns(): Promise<void> {
  ({ RE2JS } = await import('re2js'));
}
