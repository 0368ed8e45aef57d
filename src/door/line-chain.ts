/** Lines of a log in a file, each a JSON object that ends with the digest of the line before and of itself. */

/** The SHA-256 of a text in UTF-8, as 64 lower-case hex digits. */
type DigestText = (text: string) => string;
/** The digest that the last line ends with, and whether the next line says it: the first one of a file does. */
export type LineLink = { chain: string; isSaid: boolean };

const end = /,"chain":"([0-9a-f]{64})"\}$/;
const beginning = /,"after":"([0-9a-f]{64}|)"$/;

/** Chains a line to the one before it; returns it with its own link. */
export function chainLine(line: string, before: LineLink, digest: DigestText): { line: string; link: LineLink } {
  const open = line.slice(0, -1) + (before.isSaid ? `,"after":"${before.chain}"` : '');
  const chain = digest(before.chain + open);
  return { line: `${open},"chain":"${chain}"}`, link: { chain, isSaid: false } };
}

/** Reads the digest that a line ends with; null where it has none. */
export const readChain = (line: string): string | null => end.exec(line)?.[1] ?? null;

/** Checks lines one after the other. */
export class LineChain {
  readonly #digest: DigestText;
  #before: string | null = null;
  /** Lines of the chain, and those of earlier programs before it. */
  readonly counts = { lines: 0, earlier: 0 };

  constructor(digest: DigestText) {
    this.#digest = digest;
  }

  /** The digest that the last line ends with; null before the first. */
  get head(): string | null {
    return this.#before;
  }

  /** Takes the next line; returns what is wrong, or null. */
  add(line: string): string | null {
    const chain = readChain(line);
    if (chain === null) {
      if (this.#before !== null) return 'has no digest, and lines before it have one';
      this.counts.earlier += 1;
      return null;
    }
    const open = line.replace(end, '');
    const said = beginning.exec(open)?.[1];
    if (said === undefined && this.#before === null) return 'has no beginning: lines before it are missing';
    if (said !== undefined && this.#before !== null && said !== this.#before)
      return 'does not follow the line before it: lines between are missing, or the order is another';
    if (this.#digest((said ?? this.#before ?? '') + open) !== chain)
      return 'is not as it was written, or does not follow the line before it';
    this.#before = chain;
    this.counts.lines += 1;
    return null;
  }
}
