/** From bytes to a text: the encoding that they are in, how sure that is, and what could not be decoded. */
import type { PossibleEncoding } from '../sheet.ts';
import { listEncodings } from './find-encoding.ts';
import { findLines } from './skipped.ts';

/** Every platform of the engine has it, the language's own library does not name it. */
declare const TextDecoder: new (
  label: string,
  options?: { fatal: boolean },
) => { readonly encoding: string; decode(bytes: Uint8Array): string };

/** A text with its encoding by the platform's name; where that is unclear, `choices` are likely ones, best first. */
export type DecodedText = {
  text: string;
  encoding: string;
  isStated: boolean;
  choices: PossibleEncoding[];
  /** Signs that no byte of this encoding stands for, and the first of their lines. */
  damaged: { count: number; lines: number[] };
};

const sampledBytes = 65_536;
/** A text of an old encoding has hardly a zero; one of UTF-16 has them in every line, all at even or at odd places. */
const minZeroShare = 0.02;
/** No text holds them; programs and pictures do. */
const controls = /(?![\t\n\r])\p{Cc}/u;
/** This many damaged signs of all that are not ASCII leave a text UTF-8. */
const maxDamagedShare = 0.1;

/** Whether the platform can decode a text of an encoding by this name. */
export function isEncoding(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== 'replacement';
  } catch {
    return false;
  }
}

function countZeros(bytes: Uint8Array, parity: 0 | 1): number {
  let zeros = 0;
  for (let index = parity; index < Math.min(bytes.length, sampledBytes); index += 2) if (bytes[index] === 0) zeros += 1;
  return zeros;
}

function findUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const [even, odd] = [countZeros(bytes, 0), countZeros(bytes, 1)];
  // A single one is damage.
  const least = Math.max(1, (minZeroShare * Math.min(bytes.length, sampledBytes)) / 2);
  if (even + odd <= least || bytes.length % 2 === 1) return null;
  const label = even * 10 < odd ? 'utf-16le' : odd * 10 < even ? 'utf-16be' : null;
  return label !== null && !controls.test(new TextDecoder(label).decode(bytes.subarray(0, sampledBytes)))
    ? label
    : null;
}

/** Whether a text that was decoded as UTF-8, damaged signs replaced, is one: nearly all that is not ASCII is valid. */
function isMostlyValid(text: string): boolean {
  const others = text.match(/[^\0-\x7f]/gu) ?? [];
  return others.filter((sign) => sign === '\ufffd').length <= maxDamagedShare * others.length;
}

/** The lines with a byte that is not ASCII, as far as they fit the sample: they alone tell the encoding. */
function sampleLines(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(sampledBytes);
  let length = 0;
  let start = 0;
  let isPlain = true;
  for (let index = 0; index <= bytes.length; index += 1) {
    const byte = bytes[index] ?? 10;
    if (byte >= 0x80 || byte === 0x1b) isPlain = false;
    if (byte !== 10 && byte !== 13) continue;
    if (!isPlain) {
      const line = bytes.subarray(start, Math.min(index + 1, start + sampledBytes - length));
      sample.set(line, length);
      length += line.length;
      if (length >= sampledBytes) break;
    }
    start = index + 1;
    isPlain = true;
  }
  return sample.subarray(0, length);
}

function decodeAs(bytes: Uint8Array, label: string, isStated = false, choices: PossibleEncoding[] = []): DecodedText {
  const decoder = new TextDecoder(label);
  const text = decoder.decode(bytes);
  return { text, encoding: decoder.encoding, isStated, choices, damaged: findLines(text, '\ufffd') };
}

/** Decodes a text as stated; else as UTF-16 by its mark or zeros, as UTF-8 where nearly valid, or as is likeliest. */
export async function decodeText(bytes: Uint8Array, stated?: string): Promise<DecodedText> {
  if (stated !== undefined) return decodeAs(bytes, stated, true);
  const utf16 = findUtf16(bytes);
  if (utf16) return decodeAs(bytes, utf16);
  const hasEscapes = bytes.subarray(0, sampledBytes).includes(0x1b);
  const utf8 = decodeAs(bytes, 'utf-8');
  if (!hasEscapes && (utf8.damaged.count === 0 || isMostlyValid(utf8.text))) return utf8;
  const found = await listEncodings(sampleLines(bytes), (label) => {
    try {
      const decoder = new TextDecoder(label);
      return { name: decoder.encoding, decode: (sample) => decoder.decode(sample) };
    } catch {
      return null;
    }
  });
  const [best] = found;
  return best === undefined ? utf8 : decodeAs(bytes, best.encoding, false, found.length > 1 ? found : []);
}
