/** Prepares the stories that drive the pages in Chromium. */

import { isFresh } from '../freshness.ts';
import { findChromium } from './chromium.ts';
import { check, type StepResult, toLeftOut } from './steps.ts';

/**
 * Builds the renderer where needed. `projects` are those of vitest that can run: none without Chromium, which is named
 * at the end of the run, and a failure in CI.
 */
export async function prepareBrowser(): Promise<{ results: StepResult[]; projects: string[] }> {
  const results: StepResult[] = [];
  if (!isFresh('out/renderer/index.html', ['src/renderer', 'src/engine', 'src/server/contract', 'vite.config.ts'])) {
    results.push(await check('build of the renderer', process.execPath, ['scripts/build.ts', '--renderer']));
  }
  if (findChromium() !== null) return { results, projects: ['e2e'] };
  results.push(toLeftOut('browser stories', 'no Chromium found: install Chromium or Chrome, or set CHROMIUM_PATH'));
  return { results, projects: [] };
}
