/** Whole sentences: what a text is made of, so that made-up texts never break one. */

const sentenceEnd = /[.!?…]["'”’)\]]*$/u;
/** Words that are frequent in English and no words of its neighbours. */
const commonEnglish = /\b(?:the|are|my|you|your|it|to|and|this|please|with|have|has|for|that)\b/gi;

/** The words of a text, split at white space. */
export const splitWords = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

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
