/** Finding the encoding of a text that is not UTF-8, by its letters. */

import type { PossibleEncoding } from '../sheet.ts';

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
export async function listEncodings(
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
