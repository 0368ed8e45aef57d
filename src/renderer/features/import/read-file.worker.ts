/** The worker in which files are read: one file a worker; ending the worker cancels. */
import { readFile } from './read-file.ts';
import type { Sheet } from './sheet.ts';

export type ReadAnswer = { ok: true; sheet: Sheet } | { ok: false; message: string };

self.onmessage = async ({ data }: MessageEvent<{ name: string; buffer: ArrayBuffer }>) => {
  try {
    self.postMessage({ ok: true, sheet: await readFile(data.name, data.buffer) } satisfies ReadAnswer);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    self.postMessage({ ok: false, message } satisfies ReadAnswer);
  }
};
