/** Log files line by line, whatever stands in them. */
import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { maxLogLineCharacters } from '../../contract/deciding/logs.ts';
import { refuse } from '../command.ts';

const lineFeed = 10;
const decoder = new TextDecoder('utf-8', { fatal: true });

type ReadLine = { number: number; text: string | null; isWhole: boolean };

/** Yields the lines of a file that are not empty; `text` is null of one that is too long or not UTF-8. */
export async function* readLines(file: string): AsyncGenerator<ReadLine> {
  let number = 1;
  let pieces: Buffer[] = [];
  let size = 0;
  const take = (isWhole: boolean): ReadLine => {
    const text = size > maxLogLineCharacters ? null : decode(Buffer.concat(pieces));
    pieces = [];
    size = 0;
    return { number: number++, text, isWhole };
  };
  const keep = (piece: Buffer) => {
    size += piece.length;
    if (size <= maxLogLineCharacters) pieces.push(piece);
    else pieces = [];
  };
  for await (const piece of createReadStream(file)) {
    const chunk: Buffer = piece;
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      keep(chunk.subarray(from, end));
      from = end + 1;
      const line = take(true);
      if (line.text?.trim() !== '') yield line;
    }
    keep(chunk.subarray(from));
  }
  if (size > 0) yield take(false);
}

/** Decodes a line; null where it is not UTF-8 or holds a NUL, as a file does that lost its end with the power. */
function decode(bytes: Buffer): string | null {
  try {
    const text = decoder.decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** The files in the order in which they were written last, as a log that is turned over has them. */
export function sortByAge(files: readonly string[]): string[] {
  const found = files.map((file) => {
    try {
      accessSync(file, constants.R_OK);
      const found = statSync(file);
      if (found.isDirectory()) throw new Error('it is a folder');
      return { file, mtimeMs: found.mtimeMs };
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : '';
      throw refuse(`The file ${file} cannot be read (${reason}).`, cause);
    }
  });
  return found.sort((a, b) => a.mtimeMs - b.mtimeMs).map(({ file }) => file);
}
