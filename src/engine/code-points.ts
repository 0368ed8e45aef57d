/** The code points of strings, which JavaScript keeps in UTF-16. */
export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

export function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Counts the code points of a string. */
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
