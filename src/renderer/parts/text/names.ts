/** Texts that people have given, within the sentences of the page: they turn no direction but their own. */

import { replaceUnseen, showUnseen } from '../../../engine/code-points.ts';

export { showUnseen };

/** Letters and marks that are written from right to left. */
const rightToLeft = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const firstIsolate = '\u2068';
const endIsolate = '\u2069';

/** A program's text or JSON with each unseen character as its escape: what it says stays the same. */
export function escapeUnseen(text: string): string {
  return replaceUnseen(text, (hex) => `\\u${hex}`);
}

/**
 * A name as part of a sentence where no element can hold it: titles, labels, messages. One that is written from right
 * to left stands between FSI and PDI (Unicode Standard Annex #9, 2.7), so that what follows it keeps its place.
 */
export function isolate(name: string): string {
  const shown = showUnseen(name);
  return rightToLeft.test(shown) ? firstIsolate + shown + endIsolate : shown;
}

/**
 * A sentence of the server, which marks the names in it by « and » or by ": quoted as here, each isolated so
 * that it cannot flip the text around it.
 */
export function quoteNames(sentence: string): string {
  return showUnseen(sentence).replace(
    /«([^»]*)»|"([^"]*)"/g,
    (_, name?: string, other = '') => `“${isolate(name ?? other)}”`,
  );
}
