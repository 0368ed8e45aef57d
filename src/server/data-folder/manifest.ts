/** The contents of a backup, with the digest of each file. */
import { createHash } from 'node:crypto';
import { closeSync, lstatSync, openSync, readFileSync, readSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const manifestName = 'manifest.json';
const chunkBytes = 1024 * 1024;

/** A head of the log's chain as files keep it. */
export const logHeadSchema = z.object({
  entries: z.int().min(1),
  record: z.int().min(0).optional(),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifestSchema = z.object({
  format: z.literal(1),
  created_at: z.string(),
  tool_version: z.string(),
  with_secrets: z.boolean(),
  /** How far the chain of the log had come; left out by earlier programs. */
  log_head: logHeadSchema.optional(),
  files: z.array(
    z.object({
      // Below the folder of the backup, with slashes on every system; nothing may lead out of it.
      path: z.string().regex(/^(?!.*\.\.)[\w.-]+(\/[\w.-]+)*$/),
      size_bytes: z.int(),
      sha256: z.string(),
    }),
  ),
});
export type BackupManifest = z.infer<typeof manifestSchema>;

/** The path of a backup's manifest. */
export const toManifestPath = (folder: string) => path.join(folder, manifestName);

/** Reads the manifest of a backup; null if there is none that can be read. */
export function readManifest(folder: string): BackupManifest | null {
  const file = toManifestPath(folder);
  try {
    // Reading a pipe would wait for ever.
    if (!lstatSync(file).isFile()) return null;
    return manifestSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const isUnreadable = error instanceof Error && 'code' in error;
    if (isUnreadable || error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}

/** Returns the SHA-256 of a file, which may be larger than the memory. */
export function hashFile(file: string): string {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(chunkBytes);
  const opened = openSync(file, 'r');
  try {
    for (let read = readSync(opened, chunk); read > 0; read = readSync(opened, chunk)) {
      hash.update(chunk.subarray(0, read));
    }
  } finally {
    closeSync(opened);
  }
  return hash.digest('hex');
}
