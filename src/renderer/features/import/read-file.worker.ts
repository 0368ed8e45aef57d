/** The worker in which files are read: one file a worker; ending the worker cancels. */
import { type ReadOrder, readSheet } from './read-sheet.ts';

self.onmessage = async ({ data }: MessageEvent<ReadOrder>) => self.postMessage(await readSheet(data));
