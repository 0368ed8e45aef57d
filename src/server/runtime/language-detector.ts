/** Detection of the language of a text, by n-grams of 60 languages (`eld`, its smallest data: 100 MB once loaded). */
import type { LanguageDetector } from '../../engine/ports.ts';

/** Loads the detector, in 0.1 to 0.4 s: for processes that look at many texts and end. */
export async function openLanguageDetector(): Promise<LanguageDetector> {
  const { eld } = await import('eld/extrasmall');
  return (text) => eld.detect(text).language || null;
}
