/** Texts as they are compared where neither case nor the way accents are stored matters, in every language. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ascii = /^[\x00-\x7f]*$/;

/**
 * Folds a text: `ÄRGER`, `Ärger` and `a` with a combining diaeresis become `ärger`, `STRASSE` and `Straße` one text. As
 * `_rules/strings.py` has it: lower, upper and lower case again bring together what only one of them does (`ẞ`, `ß`, `ss`).
 */
export function foldCase(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  const folded = text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase();
  // The small sigma at the end of a word, and the dot above that lower case leaves of a Turkish İ.
  return folded.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFC');
}
