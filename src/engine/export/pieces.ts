/** Files as they are written: piece by piece, so that others have their turns. */
import type { ExportedExample } from './example-columns.ts';

export type Examples = AsyncIterable<ExportedExample>;
/** Pieces of a file, each small enough to be written in one turn. */
export type Pieces = AsyncGenerator<string | Uint8Array>;

const minPieceLength = 64 * 1024;

/** Joins short texts, so that each piece is worth being sent. */
export async function* joinPieces(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let open: string[] = [];
  let length = 0;
  for await (const text of texts) {
    open.push(text);
    length += text.length;
    if (length < minPieceLength) continue;
    yield open.join('');
    open = [];
    length = 0;
  }
  if (open.length > 0) yield open.join('');
}

/** A short file, whole. */
export async function* onePiece(text: string): AsyncGenerator<string> {
  yield text;
}
