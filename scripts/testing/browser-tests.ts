/** Prepares the stories that drive the pages in Chromium. */

import { isFresh } from '../freshness.ts';
import { findChromium } from './chromium.ts';
import { check, type StepResult } from './steps.ts';

/**
 * Builds the renderer where needed. `projects` are those of vitest that can run: none without Chromium, with a message,
 * and a failure in CI.
 */
export async function prepareBrowser(): Promise<{ results: StepResult[]; projects: string[] }> {
  const results: StepResult[] = [];
  if (!isFresh('out/renderer/index.html', ['src/renderer', 'src/engine', 'src/server/contract', 'vite.config.ts'])) {
    results.push(await check('build of the renderer', process.execPath, ['scripts/build.ts', '--renderer']));
  }
  if (findChromium() !== null) return { results, projects: ['e2e'] };
  process.stdout.write('Browser stories left out: no Chromium found. Install it or set CHROMIUM_PATH.\n');
  if (process.env.CI) {
    results.push({ name: 'browser stories', passed: 0, failed: 1, failures: ['No Chromium was found.'] });
  }
  return { results, projects: [] };
}
