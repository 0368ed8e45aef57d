/** JSON as programs write it: what its numbers cannot hold, and several documents in one text. */
import { findStringEnd } from '../../../strict-json/json-faults.ts';

/** A whole number of many digits, or what Python writes for NaN and infinities. */
const doubtful = /(?<![\w.+-])-?(?:\d{16,}(?![\w.+-])|NaN\b|Infinity\b)/g;

/** As `doubtful`, without a look around each number: most texts hold none of it. */
const suspicious = /\d{16}|NaN|Infinity/;

/** JSON within the call of a function, as web pages ask for it: `callback({…});` */
export const insideCall = /^\s*(?:\/\*[^*]*\*\/)?\s*[A-Za-z_$][\w.$]*\(\s*([[{][\s\S]*[\]}])\s*\)\s*;?\s*$/;

/** A text with what was changed in it; `hasLongNumbers` where whole numbers became texts. */
export type RepairedText = { text: string; notes: string[]; hasLongNumbers: boolean };

const count = (many: number, one: string, more: string) =>
  many === 1 ? `One ${one}` : `${many.toLocaleString('en')} ${more}`;

/** Writes whole numbers that a double cannot hold as texts, and NaN and Infinity as null; says how many. */
export function repairJson(text: string): RepairedText {
  if (!suspicious.test(text)) return { text, notes: [], hasLongNumbers: false };
  const parts: string[] = [];
  let done = 0;
  let [digits, others] = [0, 0];
  let outside = 0;
  let quote = text.indexOf('"');
  for (const { 0: found, index } of text.matchAll(doubtful)) {
    while (quote !== -1 && quote < index) {
      outside = findStringEnd(text, quote);
      quote = text.indexOf('"', outside);
    }
    const isDigits = /\d/.test(found);
    if (outside > index || (isDigits && Number.isSafeInteger(Number(found)))) continue;
    parts.push(text.slice(done, index), isDigits ? `"${found}"` : 'null');
    done = index + found.length;
    if (isDigits) digits += 1;
    else others += 1;
  }
  const notes: string[] = [];
  const beyond = 'beyond 2^53, where numbers lose digits,';
  if (digits > 0)
    notes.push(count(digits, `whole number ${beyond} is kept as text`, `whole numbers ${beyond} are kept as texts`));
  if (others > 0)
    notes.push(count(others, 'value is NaN or Infinity, read as empty', 'values are NaN or Infinity, read as empty'));
  return { text: parts.join('') + text.slice(done), notes, hasLongNumbers: digits > 0 };
}

/** Between two documents; in a single one a comma would stand there, and a string holds no line's end. */
const boundary = /(?<=[}\]])[ \t]*\r?\n\s*(?=[{[])/;

/** A list of objects that goes on in the next line, where only a comma may be missing. */
const openList = /^\s*\[\s*\{[^\n]*[^\]\s]\s*\n/;

/** Whether a text is several JSON documents, one behind the other. */
export const hasSeveralDocuments = (text: string): boolean => boundary.test(text) && !openList.test(text);

/** Cuts a text into its documents, each with its first line: one a line, or several lines each, as `jq` writes them. */
export function* cutDocuments(text: string): Generator<{ line: number; document: string }> {
  const ends = /^\s*\{[ \t]*\r?\n/.test(text) ? new RegExp(boundary, 'g') : /\r?\n/g;
  let from = 0;
  let line = 1;
  const take = (to: number) => ({ line, document: text.slice(from, to) });
  for (const { 0: end, index } of text.matchAll(ends)) {
    yield take(index);
    for (let at = text.indexOf('\n', from); at >= 0 && at < index + end.length; at = text.indexOf('\n', at + 1))
      line += 1;
    from = index + end.length;
  }
  yield take(text.length);
}
