/** Files that are whole or absent, also after a power cut. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes `bytes` to `path` by way of the synced `part`, or leaves nothing; the umask is taken from `mode`. */
export function writeDurably(
  path: string,
  bytes: Uint8Array,
  { mode = 0o600, part = `${path}.part` }: { mode?: number; part?: string } = {},
): void {
  try {
    const file = openSync(part, 'w', mode);
    try {
      let written = 0;
      while (written < bytes.length) written += writeSync(file, bytes, written);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameDurably(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Renames within one folder and syncs the folder, so that the new name survives a power cut. */
export function renameDurably(from: string, to: string): void {
  renameSync(from, to);
  // A directory cannot be opened for syncing on Windows; NTFS journals the rename itself.
  if (process.platform === 'win32') return;
  syncFile(dirname(to), 'r');
}

/** Syncs a file that something else has written, or a folder, which is opened with `r`. */
export function syncFile(path: string, flags: 'r+' | 'r' = 'r+'): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
