/** The code points of strings, which JavaScript keeps in UTF-16, their bytes in UTF-8, and folding their case. */
export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** Whether a UTF-16 code unit is the second half of a pair. */
export function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** The length of a text in code points; a lone surrogate counts as one. */
export function countCodePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const code = text.charCodeAt(i);
    if (!isHighSurrogate(code) || !isLowSurrogate(text.charCodeAt(i + 1))) continue;
    count--;
    i++;
  }
  return count;
}

/** Counts the bytes of a string in UTF-8; the engine has no encoder of its own. */
export function countUtf8Bytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    // A pair is four bytes of two units; a lone half is three.
    if (isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(i + 1))) i++;
  }
  return bytes;
}

/** The text, or its beginning and … where it has more than `max` code points. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = [...text.slice(0, 2 * max)].slice(0, max).join('');
  return start === text ? text : `${start}…`;
}

/** Characters that cannot be seen: controls, signs that turn texts, blanks without width. */
const unseen = /[^\P{Cc}\t\n\r]|[\u200b\u202a-\u202e\u2060\u2066-\u2069\ufeff]/gu;

/** Replaces each character that cannot be seen by what `toShown` makes of its number, four hexadecimal digits. */
export function replaceUnseen(text: string, toShown: (hex: string) => string): string {
  return text.replace(unseen, (character) =>
    toShown(character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')),
  );
}

/** The text with each character that cannot be seen as its number: U+202E is shown as “[U+202E]”. */
export function showUnseen(text: string): string {
  return replaceUnseen(text, (hex) => `[U+${hex}]`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ascii = /^[\x00-\x7f]*$/;

/**
 * Folds a text as `_rules/strings.py` does: `ÄRGER`, `Ärger` and `a` with a combining diaeresis become `ärger`, and
 * `STRASSE` and `Straße` one text. Lower, upper and lower case again bring together what only one of them does (`ẞ`).
 */
export function foldCase(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  const folded = text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase();
  // The small sigma at the end of a word, and the dot above that lower case leaves of a Turkish İ.
  return folded.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFC');
}
