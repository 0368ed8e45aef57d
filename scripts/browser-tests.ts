/** The tests that drive the pages in Chromium. */
import { findChromium } from './chromium.ts';
import { isFresh } from './freshness.ts';
import { check, type StepResult } from './steps.ts';
import { runVitest } from './vitest-run.ts';

/** Builds the renderer where needed, then drives it in Chromium. Without Chromium: a message, and a failure in CI. */
export async function runBrowserTests(): Promise<StepResult[]> {
  const results: StepResult[] = [];
  if (!isFresh('out/renderer/index.html', ['src/renderer', 'src/engine', 'src/server/contract', 'vite.config.ts'])) {
    results.push(await check('build of the renderer', process.execPath, ['scripts/build.ts', '--renderer']));
  }
  const chromium = findChromium();
  if (chromium === null) {
    process.stdout.write('Browser tests left out: no Chromium found. Install it or set CHROMIUM_PATH.\n');
    if (process.env.CI)
      results.push({ name: 'browser tests', passed: 0, failed: 1, failures: ['No Chromium was found.'] });
    return results;
  }
  results.push(await runVitest(['e2e'], { WORKBENCH_CHROMIUM: chromium }));
  return results;
}
