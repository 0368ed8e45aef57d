/** Parts a text of any script into words and signs, in every runtime alike. */
import { listUnknownRanges } from './known-characters.ts';

/** Code points that stand for a word each: the scripts that write no spaces between short words, as ranges. */
export const loneRanges: readonly (readonly [number, number])[] = [
  [0x2e80, 0x2fdf],
  [0x3005, 0x3007],
  [0x3021, 0x3029],
  [0x3038, 0x303b],
  [0x3041, 0x3096],
  [0x309d, 0x309f],
  [0x30a1, 0x30fa],
  [0x30fd, 0x30ff],
  [0x31f0, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xf900, 0xfaff],
  [0x1b000, 0x1b16f],
  [0x20000, 0x3ffff],
];
/** Code points of a word at most: what is written without spaces, such as Thai, goes on in the next word. */
export const maxWordCodePoints = 64;

const writeRanges = (ranges: readonly (readonly [number, number])[]) =>
  ranges.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join('');

const lone = writeRanges(loneRanges);
const unknownSign = new RegExp(`([${writeRanges(listUnknownRanges())}])`, 'v');
const accents = /[\u0300-\u036f]/g;
/** Signs that nobody sees; those of the tags tell flags apart. */
const unseen = /[[\p{Cc}\p{Cf}\p{Cs}\p{Co}\ufe00-\ufe0f]--[\t-\r\u{e0020}-\u{e007f}]]/gv;
const units = new RegExp(
  `[${lone}]|[[\\p{L}\\p{M}\\p{N}]--[${lone}]]{1,${maxWordCodePoints}}|[\\u{1f1e6}-\\u{1f1ff}]{2}|\\S`,
  'gv',
);
const plain = /^[\t-\r -~]*$/;
const plainUnits = new RegExp(`[a-z0-9]{1,${maxWordCodePoints}}|\\S`, 'g');

/** Parts a text into words (letters, marks, digits; lower case, no accents) and all other visible signs. */
export function splitIntoWords(text: string): string[] {
  if (plain.test(text)) return text.toLowerCase().match(plainUnits) ?? [];
  // A character that not every runtime knows stays as it is, so that none reads it in its own way.
  return text.split(unknownSign).flatMap((part, at) => (at % 2 === 1 ? [part] : splitKnown(part)));
}

function splitKnown(text: string): string[] {
  const bare = text.normalize('NFKC').toLowerCase().normalize('NFD').replace(accents, '').normalize('NFC');
  return bare.replace(unseen, '').match(units) ?? [];
}
