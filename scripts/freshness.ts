/** Whether what was built is newer than its sources. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the repository. */
export const projectRoot = join(import.meta.dirname, '..');

/**
 * True when `built` (relative to the project) exists and no file under `sources` was changed after it was made.
 */
export function isFresh(built: string, sources: readonly string[]): boolean {
  const builtPath = join(projectRoot, built);
  if (!existsSync(builtPath)) return false;
  const builtMs = statSync(builtPath).mtimeMs;
  return sources.every((source) => newestMs(join(projectRoot, source)) <= builtMs);
}

/** The file to run for a server entry: the bundle in out/server when it is fresh, else the TypeScript source. */
export function serverEntry(name: 'serve'): string {
  const built = `out/server/${name}.js`;
  return join(projectRoot, isFresh(built, ['src/server', 'src/engine']) ? built : `src/server/${name}.ts`);
}

function newestMs(path: string): number {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  let newest = 0;
  for (const entry of readdirSync(path)) newest = Math.max(newest, newestMs(join(path, entry)));
  return newest;
}
