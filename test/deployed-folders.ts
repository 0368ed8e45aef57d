/** Vitest's global set-up: names the state of the sources, by which trained data folders are kept from run to run. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

const root = path.resolve(import.meta.dirname, '..');
/** Where data folders with a deployed policy are kept, one for each state of sources and rows. */
export const deployedFolders = path.join(root, 'test-results', 'deployed');
const keptMs = 24 * 3_600_000;

declare module 'vitest' {
  interface ProvidedContext {
    /** Digest of all that a training and a data folder follow from, but the rows. */
    sourcesDigest: string;
  }
}

/** Tells the tests the digest of the sources, and removes folders that are older than a day and locks. */
export function setup(project: TestProject): void {
  const digest = createHash('sha256');
  const sources = ['src/{engine,server}/**/*', 'resources/samples/**/*', 'resources/models/*/SHA256SUMS'];
  for (const file of globSync([...sources, 'package-lock.json'], { cwd: root }).sort()) {
    if (statSync(path.join(root, file)).isFile()) digest.update(file).update(readFileSync(path.join(root, file)));
  }
  project.provide('sourcesDigest', digest.digest('hex'));
  for (const folder of globSync('*', { cwd: deployedFolders })) {
    const kept = path.join(deployedFolders, folder);
    // A lock was left by a run that was killed.
    if (folder.endsWith('.lock') || Date.now() - statSync(kept).mtimeMs > keptMs)
      rmSync(kept, { recursive: true, force: true });
  }
}
