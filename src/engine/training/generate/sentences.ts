/** Whole sentences: what a text is made of, so that made-up texts never break one. */

/** A full stop behind one of these ends no sentence; nor does one behind a single letter. */
const abbreviations =
  /(?:^|[\s(])(?:\p{L}|e\.g|i\.e|Mr|Mrs|Ms|Dr|Prof|St|No|Nr|vs|etc|approx|ca|Inc|Ltd|Dept|Fig|Tel|z\.B|bzw)\.$/iu;
const sentenceEnd = /[.!?…]["'”’)\]]*$/u;
/** A string of fewer words is a name or a category, unless it ends like a sentence. */
const minWords = 5;
const minWordsOfSentence = 2;
/** Words that are frequent in English and no words of its neighbours. */
const commonEnglish = /\b(?:the|are|my|you|your|it|to|and|this|please|with|have|has|for|that)\b/gi;

/** The words of a text, split at white space. */
export const splitWords = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

/** Whether a string is written text, and not a name or a category of several words. */
export function isProse(value: string): boolean {
  const { length } = splitWords(value);
  return length >= minWords || (length >= minWordsOfSentence && sentenceEnd.test(value.trim()));
}

/** Splits a text where a sentence certainly ends: at a stop of no abbreviation, before a capital. */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  let from = 0;
  for (const { index } of text.matchAll(/\s+(?=["'“(]?\p{Lu})/gu)) {
    const before = text.slice(from, index);
    if (!sentenceEnd.test(before) || abbreviations.test(before)) continue;
    sentences.push(before.trim());
    from = index;
  }
  return [...sentences, text.slice(from).trim()].filter((sentence) => sentence !== '');
}

/** Joins sentences, with full stops and capitals where they lack them. */
export function joinSentences(sentences: readonly string[]): string {
  return sentences
    .map((sentence, i) => (i === 0 ? sentence : sentence.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())))
    .map((sentence, i) => (i === sentences.length - 1 || sentenceEnd.test(sentence) ? sentence : `${sentence}.`))
    .join(' ');
}

/** Whether a text seems to be English: English sentences may stand beside it. */
export function isEnglish(text: string): boolean {
  return (text.match(commonEnglish)?.length ?? 0) >= Math.max(1, splitWords(text).length / 10);
}
