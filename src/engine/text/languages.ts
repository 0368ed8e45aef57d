/** The languages of texts, as a detector sees them. */
import type { LanguageDetector } from '../ports.ts';

/** The beginning of a text shows its language. */
const seenCharacters = 300;
/** Texts that are looked at, spread evenly over all of them. */
const maxTexts = 2_000;
/** A language of fewer texts is mostly an error of the detector. */
export const minLanguageShare = 0.05;

/** The languages that a text model of the program reads; the facts beside each model say which. */
export const readLanguages: readonly string[] = [
  ...['ar', 'de', 'en', 'es', 'fr', 'it', 'ja', 'ko'],
  ...['nl', 'pl', 'pt', 'ru', 'th', 'tr', 'zh'],
];

export type LanguageShare = { language: string; share: number };

/** Languages of at least 5% of the texts (at most 2,000 are read), by ISO 639-1, the most frequent first. */
export function countLanguages(texts: readonly string[], detect: LanguageDetector): LanguageShare[] {
  const every = Math.max(1, texts.length / maxTexts);
  const counts = new Map<string, number>();
  let seen = 0;
  for (let at = 0; at < texts.length; at += every) {
    const language = detect((texts[Math.floor(at)] ?? '').slice(0, seenCharacters));
    if (language === null) continue;
    seen += 1;
    counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return [...counts]
    .map(([language, count]) => ({ language, share: count / seen }))
    .filter(({ share }) => share >= minLanguageShare)
    .sort((a, b) => b.share - a.share || (a.language < b.language ? -1 : 1));
}

/** The English name of a language: "German". */
export function nameLanguage(language: string): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language;
}

/** Names languages with their shares, "German (62%) and French (38%)"; one that has all texts goes without. */
export function describeLanguages(languages: readonly LanguageShare[]): string {
  const only = languages.length === 1 && languages[0]?.share === 1;
  const named = languages.map(({ language, share }) =>
    only ? nameLanguage(language) : `${nameLanguage(language)} (${Math.round(100 * share)}%)`,
  );
  return new Intl.ListFormat('en-GB').format(named);
}

/** Says in which languages texts are, and what those cost that no text model of the program reads; null for none. */
export function describeReading(languages: readonly LanguageShare[]): string | null {
  if (languages.length === 0) return null;
  const unread = languages.filter(({ language }) => !readLanguages.includes(language));
  const named = new Intl.ListFormat('en-GB').format(unread.map(({ language }) => nameLanguage(language)));
  const cost =
    unread.length === 0
      ? ''
      : `; no text model of the program reads ${named}, so that new wordings are often handed on or wrong`;
  return `${describeLanguages(languages)}${cost}`;
}
