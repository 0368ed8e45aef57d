/** From bytes to a text: the encoding that they are in, how sure that is, and what could not be decoded. */
import type { PossibleEncoding } from '../sheet.ts';
import { findLines } from './skipped.ts';

type Decoder = { name: string; decode(bytes: Uint8Array): string };
type Candidate = { encoding: string; score: number; text: string };

/** Names of the detector that platforms know by another one. */
const platformNames: Readonly<Record<string, string>> = {
  MacRoman: 'macintosh',
  MacCyrillic: 'x-mac-cyrillic',
  CP866: 'ibm866',
  CP874: 'windows-874',
  CP932: 'shift_jis',
  CP949: 'euc-kr',
};
/** Read by their bytes alone, they need few letters: short texts that the detector knows nothing about. */
const multiByte = ['shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr'];
const leastScore = 0.005;
/** Quotes, dashes, signs of money and degrees: most files in which they are all that is not ASCII are Western ones. */
const westernSigns = /^[\0-\x7f‚„…‘’“”•–—€£°©®§±×½²³«»¿¡™\u00a0]*$/u;
/** Fewer different characters may be a Western sign with the letter behind it. */
const minCharacters = 3;

/** How much likelier an encoding is than its letters say: files of some are few, and most of all are in one. */
function weighUse(encoding: string, text: string): number {
  if (encoding === 'windows-1252') return westernSigns.test(text) ? 3 : 1.1;
  if (multiByte.includes(encoding)) return Math.min(1, new Set(text.match(/[^\0-\x7f]/gu)).size / minCharacters);
  return encoding === 'macintosh' ? 0.9 : /^iso-8859-(?:3|4|1[0346])$/.test(encoding) ? 0.8 : 1;
}

/** Another encoding is asked about from this share of the best one's score on, where the text is short. */
const doubtShare = 0.75;
const longText = 60;
const maxOthers = 3;
const exampleLength = 60;

/** Scripts whose letters do not stand beside those of another one in a word. */
const scripts = ['Latin', 'Cyrillic', 'Greek', 'Hebrew', 'Arabic', 'Thai', 'Hangul'].map(
  (name) => new RegExp(`\\p{Script=${name}}`, 'u'),
);
const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Pairs of letters; a sign between two letters that occurs in no word; characters that are not printable. */
const pairs = /(?=(\p{L}\p{M}*\p{L}))/gu;
const signInWord = /\p{L}[^\p{L}\p{M}\p{N}\s\p{Pd}\p{Po}’‘·]\p{L}|[†‡‰¤¦¬]\p{L}|\p{L}[†‡‰¤¦¬]/gu;
/** Characters of no word: controls, private signs, accents without a letter, ligatures. */
const noSign = /[\ufffd\u0080-\u009f\ue000-\uf8ff\u00a8\u00b4\u00b8\u02c6\u02c7\u02d8-\u02dd\ufb01\ufb02]/gu;
const capitalInWord = /\p{Ll}\p{Lu}/u;

const countMatches = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** How often letters lie side by side that no word has so: of two scripts, or a small one before a capital. */
function countOddPairs(text: string): number {
  let odd = 0;
  for (const [, pair = ''] of text.matchAll(pairs)) {
    if (/^[\0-\x7f]*$/.test(pair) || cjk.test(pair)) continue;
    if (capitalInWord.test(pair) || scripts.filter((script) => script.test(pair)).length > 1) odd += 1;
  }
  return odd;
}

/** How much of a text's signs is as people write, from 0 to 1. */
function weighSigns(text: string): number {
  const others = countMatches(text, /[^\0-\x7f]/gu);
  if (others === 0) return 1;
  const odd = 2 * countMatches(text, noSign) + countOddPairs(text) + countMatches(text, signInWord);
  return Math.max(0, 1 - (2 * odd) / others);
}

/** A piece of a text's line around a place. */
function showPart(text: string, at: number): string {
  const start = Math.max(text.lastIndexOf('\n', at) + 1, at - exampleLength / 2);
  return text.slice(start, at + exampleLength / 2).split(/[\r\n]/)[0] ?? '';
}

function findDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/**
 * Lists the encodings that the bytes of some lines could be in: the likeliest first, then those that would read
 * otherwise and that nothing rules out. The detector's scores are of pairs of letters in 50 languages; its own module
 * is loaded here, as most files need none.
 */
async function listEncodings(
  bytes: Uint8Array,
  toDecoder: (label: string) => Decoder | null,
): Promise<PossibleEncoding[]> {
  const { detectAll } = await import('jschardet');
  const found = detectAll(bytes, { minimumThreshold: 0 }).map(({ encoding, confidence }) => ({
    label: platformNames[encoding ?? ''] ?? encoding ?? '',
    confidence,
  }));
  const all = [...found, ...multiByte.map((label) => ({ label, confidence: leastScore }))];
  const candidates = new Map<string, Candidate>();
  for (const { label, confidence } of all) {
    const decoder = toDecoder(label);
    if (decoder === null || candidates.has(decoder.name)) continue;
    const text = decoder.decode(bytes);
    const score = confidence * weighUse(decoder.name, text) * weighSigns(text);
    candidates.set(decoder.name, { encoding: decoder.name, score, text });
  }
  const chosen = choose([...candidates.values()].sort((a, b) => b.score - a.score));
  const [best, second] = chosen;
  return chosen.map(({ encoding, text }) => {
    const other = text === best?.text ? second?.text : best?.text;
    return { encoding, example: showPart(text, findDifference(text, other ?? '')) };
  });
}

/** The best candidate, and others whose text is another one where the text is too short to tell. */
function choose(sorted: readonly Candidate[]): Candidate[] {
  const [best] = sorted;
  if (best === undefined || best.score === 0) return [];
  const usual = sorted.find(({ encoding, text }) => encoding === 'windows-1252' && text === best.text);
  const isLong = countMatches(best.text, /[^\0-\x7f]/gu) >= longText;
  const texts = new Set([best.text]);
  const others = sorted.filter(({ score, text }) => {
    if (isLong || score < doubtShare * best.score || texts.has(text)) return false;
    texts.add(text);
    return true;
  });
  return [usual ?? best, ...others.slice(0, maxOthers)];
}

/** Every platform of the engine has it, the language's own library does not name it. */
declare const TextDecoder: new (
  label: string,
  options?: { fatal: boolean },
) => { readonly encoding: string; decode(bytes: Uint8Array): string };

/** A text with its encoding by the platform's name; where that is unclear, `choices` are likely ones, best first. */
export type DecodedText = {
  text: string;
  encoding: string;
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

function decodeAs(bytes: Uint8Array, label: string, choices: PossibleEncoding[] = []): DecodedText {
  const decoder = new TextDecoder(label);
  const text = decoder.decode(bytes);
  return { text, encoding: decoder.encoding, choices, damaged: findLines(text, '\ufffd') };
}

/** Decodes a text as stated; else as UTF-16 by its mark or zeros, as UTF-8 where nearly valid, or as is likeliest. */
export async function decodeText(bytes: Uint8Array, stated?: string): Promise<DecodedText> {
  if (stated !== undefined) return decodeAs(bytes, stated);
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
  return best === undefined ? utf8 : decodeAs(bytes, best.encoding, found.length > 1 ? found : []);
}
