/** Lines of a table that are none of its rows. */

import type { Skipped, SkipReason } from '../sheet.ts';

const maxListedLines = 20;

/** Counts lines that are no rows, in the order in which their reasons are first met. */
export class SkippedLines {
  readonly #byReason = new Map<SkipReason, Skipped>();

  add(reason: SkipReason, line: number): void {
    const skipped = this.#byReason.get(reason) ?? { reason, count: 0, lines: [] };
    skipped.count += 1;
    if (skipped.lines.length < maxListedLines) skipped.lines.push(line);
    this.#byReason.set(reason, skipped);
  }

  list(): Skipped[] {
    return [...this.#byReason.values()];
  }
}
