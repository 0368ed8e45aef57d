import { isFiniteNumber, listLeaves } from '../features/values.ts';
import { isJsonObject, type Json, type JsonObject, toCanonicalJson } from '../json.ts';
import { hashNumber, hashString } from '../random.ts';
import { createGroups } from '../row-sets.ts';
import { digestText } from './equal-inputs.ts';
import { type Finding, type FindingRow, findMajority, quoteList, type Search, toFinding } from './finding.ts';

/** The share of their pieces that two texts must have in common. */
const minSimilarity = 0.8;
/** Characters of a piece; a text shorter than a few of them says too little. */
const pieceLength = 4;
const minPieces = 16;
/** Pieces of a text that are kept to compare it: the smallest hashes, an even sample of a long text. */
const maxPieces = 128;
/** Bands of min-hashes: texts that agree in one band are compared; at a similarity of 0.8 it finds 98 of 100 pairs. */
const bands = 10;
const hashesPerBand = 5;
/** Texts of a band that a new one is compared with: the cost of a row has a bound, whatever the texts are. */
const maxCompared = 8;
const significantDigits = 6;
const none = -1;

/** Lower case without accents' variants, punctuation or repeated blanks (Unicode NFKC). */
function normaliseText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** The same value in one spelling: texts normalised, numbers with six digits. */
function normaliseValue(value: Json): Json {
  if (typeof value === 'string') return normaliseText(value);
  if (isFiniteNumber(value)) return Number(value.toPrecision(significantDigits));
  if (Array.isArray(value)) return value.map(normaliseValue);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, normaliseValue(member)]));
}

/** An input's text as normalised words, and a digest of everything else. */
function splitInput(input: JsonObject): { text: string; rest: number } {
  const texts: string[] = [];
  const rest: Json[] = [];
  for (const { path, value } of listLeaves(input)) {
    const normal = normaliseValue(value);
    if (typeof normal === 'string' && normal.includes(' ')) texts.push(normal);
    else rest.push([path.join('.'), normal]);
  }
  return { text: texts.join(' '), rest: digestText(toCanonicalJson(rest)) };
}

/** The hashes of the text's pieces, ascending and different; the smallest ones of a long text. */
function sketchText(text: string): Uint32Array {
  const hashes = new Set<number>();
  for (let from = 0; from + pieceLength <= text.length; from++) {
    hashes.add(hashString(text.slice(from, from + pieceLength)));
  }
  return Uint32Array.from(hashes).sort().slice(0, maxPieces);
}

/** The share of pieces that two sketches have in common, of cut ones by their smallest hashes (Broder 1997). */
function compareSketches(a: Uint32Array, b: Uint32Array): number {
  const most = Math.max(a.length, b.length) < maxPieces ? Number.POSITIVE_INFINITY : maxPieces;
  let union = 0;
  let common = 0;
  for (let i = 0, j = 0; (i < a.length || j < b.length) && union < most; union++) {
    const left = a[i] ?? Number.POSITIVE_INFINITY;
    const right = b[j] ?? Number.POSITIVE_INFINITY;
    if (left === right) common += 1;
    if (left <= right) i += 1;
    if (right <= left) j += 1;
  }
  return union === 0 ? 0 : common / union;
}

/** The keys of the bands: rows with similar sketches and the same rest probably share one. */
function listBandKeys(sketch: Uint32Array, rest: number): number[] {
  return Array.from({ length: bands }, (_, band) => {
    let key = hashNumber(rest % 2 ** 32, band + 1);
    for (let h = 0; h < hashesPerBand; h++) {
      const seed = 1 + band * hashesPerBand + h;
      let smallest = 2 ** 32;
      for (const hash of sketch) smallest = Math.min(smallest, hashNumber(hash, seed));
      key = hashNumber(smallest ^ key, seed);
    }
    return key * bands + band;
  });
}

type Kept = Pick<FindingRow, 'id' | 'decision' | 'heldOut'>;

/** Searches for inputs equal but for case, punctuation and rounding, or with four fifths of pieces in common. */
export function searchNearDuplicates(): Search {
  const rows: Kept[] = [];
  const sketches: (Uint32Array | null)[] = [];
  const rests: number[] = [];
  const spellings = new Map<number, number>();
  /** The last row of each band's key, and for each row and band the row before it with the same key. */
  const lastOf = new Map<number, number>();
  const before: number[] = [];
  const groups = createGroups();

  function compareTexts(row: number, sketch: Uint32Array, rest: number): void {
    listBandKeys(sketch, rest).forEach((key, band) => {
      let other = lastOf.get(key) ?? none;
      before[row * bands + band] = other;
      lastOf.set(key, row);
      for (let compared = 0; other !== none && compared < maxCompared; compared++) {
        const otherSketch = sketches[other];
        if (otherSketch && rests[other] === rest && compareSketches(sketch, otherSketch) >= minSimilarity) {
          groups.join(row, other);
        }
        other = before[other * bands + band] ?? none;
      }
    });
  }

  return {
    add({ id, input, decision, heldOut }) {
      const row = groups.add();
      rows.push({ id, decision, heldOut });
      const spelling = digestText(toCanonicalJson(normaliseValue(input)));
      const twin = spellings.get(spelling);
      if (twin === undefined) spellings.set(spelling, row);
      else groups.join(row, twin);
      const { text, rest } = splitInput(input);
      const sketch = sketchText(text);
      rests.push(rest);
      const isCompared = sketch.length >= minPieces && twin === undefined;
      sketches.push(isCompared ? sketch : null);
      if (isCompared) compareTexts(row, sketch, rest);
      else for (let band = 0; band < bands; band++) before.push(none);
    },
    finish: () => groups.list().map((group) => toNearFinding(group.flatMap((row) => rows[row] ?? []))),
  };
}

function toNearFinding(group: readonly Kept[]): Finding {
  const decisions = group.map(({ decision }) => decision);
  const labels = [...new Set(decisions.filter((decision) => decision !== null))];
  const heldOut = group.filter((row) => row.heldOut).length;
  const isSplit = heldOut > 0 && heldOut < group.length;
  const parts = [`${group.length} examples are nearly the same.`];
  if (labels.length > 1) parts.push(`They are labelled ${quoteList(labels)}: check which label is right.`);
  if (isSplit) parts.push('Some are trained on and others measured on, which makes the figures too good.');
  parts.push('Keep one of them, unless the difference matters.');
  return toFinding({
    kind: 'near_duplicate',
    severity: labels.length > 1 || isSplit ? 'warning' : 'info',
    message: parts.join(' '),
    ids: group.map(({ id }) => id),
    suggested_decision: labels.length > 1 ? findMajority(decisions) : null,
    score: group.length,
  });
}
