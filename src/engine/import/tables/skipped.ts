/** Lines of a file that are worth a note: those that are not rows, or hold a certain sign. */
import type { Skipped, SkipReason } from '../sheet.ts';

const maxListedLines = 20;
const maxNamedLines = 5;

/** “2, 9 and 3 more”: the first of some lines, of `count`. */
export function listLines(lines: readonly number[], count: number): string {
  const shown = lines.slice(0, maxNamedLines);
  const left = count - shown.length;
  return shown.join(', ') + (left > 0 ? ` and ${left.toLocaleString('en')} more` : '');
}

/** Counts lines that are not rows, in the order in which their reasons are first met. */
export class SkippedLines {
  readonly #byReason = new Map<SkipReason, Skipped>();

  add(reason: SkipReason, line: number): void {
    const skipped = this.#byReason.get(reason) ?? { reason, count: 0, lines: [] };
    skipped.count += 1;
    if (skipped.lines.length < maxListedLines) skipped.lines.push(line);
    this.#byReason.set(reason, skipped);
  }

  list(): Skipped[] {
    return [...this.#byReason.values()].map((each) => ({ ...each, lines: each.lines.toSorted((a, b) => a - b) }));
  }
}

/** Counts a sign in a text, and names the first of its lines. */
export function findLines(text: string, sign: string): { count: number; lines: number[] } {
  const lines: number[] = [];
  let count = 0;
  let line = 1;
  let from = 0;
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) {
    count += 1;
    if (lines.length === maxListedLines) continue;
    line += text.slice(from, at).match(/\r\n?|\n/g)?.length ?? 0;
    from = at;
    if (lines.at(-1) !== line) lines.push(line);
  }
  return { count, lines };
}
