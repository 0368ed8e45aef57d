/** The encoder's input: token ids in the frame of special tokens, cut to the encoder's length, in batches. */
import type { Frame } from '../ports.ts';

/** [CLS] and [SEP], where an encoder names no others. */
const usualFrame: Frame = [101, 102];

type EncoderInput = { ids: number[]; truncated: boolean };

/** Puts the frame around the first ids, `maxTokens` with it, and tells whether ids were cut off. */
export function toEncoderInput(ids: readonly number[], maxTokens: number, frame: Frame = usualFrame): EncoderInput {
  const room = maxTokens - frame.length;
  return { ids: [...frame.slice(0, -1), ...ids.slice(0, room), ...frame.slice(-1)], truncated: ids.length > room };
}

/** Token ids side by side, row-major, short texts filled up with zeros; the mask tells where each ends. */
type PaddedTexts = { dims: [number, number]; ids: BigInt64Array; mask: BigInt64Array };

/** Pads token ids with zeros to the longest text of the batch, with the mask that leaves the padding out. */
export function padTexts(texts: readonly (readonly number[])[]): PaddedTexts {
  const length = Math.max(0, ...texts.map((ids) => ids.length));
  const ids = new BigInt64Array(texts.length * length);
  const mask = new BigInt64Array(texts.length * length);
  for (const [row, text] of texts.entries()) {
    for (const [at, id] of text.entries()) ids[row * length + at] = BigInt(id);
    mask.fill(1n, row * length, row * length + text.length);
  }
  return { dims: [texts.length, length], ids, mask };
}

/** Texts of a batch: more of them cost as much each, and an answer would wait longer. */
const maxTextsPerBatch = 32;
/** Tokens of a batch, padding included: four times as many took half as long again for each long text. */
const maxTokensPerBatch = 1_024;
/** How much longer than its shortest text a batch may be: attention is computed beyond a text's end for nothing. */
const maxLengthRatio = 1.5;
const freePaddingTokens = 8;

/** Parts texts into batches of about one length, shortest first: a batch costs what its longest says. */
export function groupByLength<T>(texts: readonly T[], lengthOf: (text: T) => number): T[][] {
  const groups: T[][] = [];
  let group: T[] = [];
  let maxLength = 0;
  for (const text of [...texts].sort((a, b) => lengthOf(a) - lengthOf(b))) {
    const length = lengthOf(text);
    const isFull = group.length === maxTextsPerBatch || (group.length + 1) * length > maxTokensPerBatch;
    if (group.length === 0 || isFull || length > maxLength) {
      group = [];
      groups.push(group);
      maxLength = length * maxLengthRatio + freePaddingTokens;
    }
    group.push(text);
  }
  return groups;
}
