/** Forms with a file that are written to the data folder while they come: memory holds a piece of them at a time. */
import { mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { WorkbenchError } from '../../engine/errors.ts';
import { describeFileBound } from '../../engine/limits.ts';

/** A form in a file; `signal` tells that whoever sent it is gone. Who takes it removes it. */
export class SpilledForm {
  readonly path: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly signal: AbortSignal;
  constructor(written: Pick<SpilledForm, 'path' | 'contentType' | 'bytes' | 'signal'>) {
    this.path = written.path;
    this.contentType = written.contentType;
    this.bytes = written.bytes;
    this.signal = written.signal;
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

/** Room for the other fields of a form and what stands around them. */
const maxBesideBytes = 64 * 1024;

/** Writes a form to a file of a folder. Throws `payload_too_large`, with nothing left behind. */
export async function spillForm(
  body: Readable,
  how: { folder: string; id: string; contentType: string; maxBytes: number; signal: AbortSignal },
): Promise<SpilledForm> {
  const { folder, id, contentType, maxBytes, signal } = how;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, id);
  const handle = await open(file, 'wx', 0o600);
  let bytes = 0;
  try {
    const pieces: AsyncIterable<Buffer> = body.iterator({ destroyOnReturn: false });
    for await (const piece of pieces) {
      bytes += piece.length;
      if (bytes > maxBytes + maxBesideBytes)
        throw new WorkbenchError('payload_too_large', describeFileBound(null, maxBytes));
      await handle.write(piece);
    }
  } catch (error) {
    await handle.close();
    await rm(file, { force: true });
    throw error;
  }
  await handle.close();
  return new SpilledForm({ path: file, contentType, bytes, signal });
}
