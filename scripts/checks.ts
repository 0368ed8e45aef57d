/** Every check that reads the sources without running the program. */
import { join } from 'node:path';
import { projectRoot } from './freshness.ts';
import { findRequirementProblems } from './requirements.ts';
import { check, report, run, type StepResult } from './steps.ts';

const runtimes = ['engine', 'server', 'main', 'preload', 'renderer', 'test'];

/** Below this the dependency check has not read the code: it reports "no violations" on nothing, too. */
const minModules = 60;

/** Formatting and lint, import rules, types per runtime, unused code, generated documents, requirements. */
export async function runChecks(): Promise<StepResult[]> {
  const results = [await check('biome', 'biome', ['check', '--error-on-warnings', '--max-diagnostics=100', '.'])];
  results.push(await layers());
  // The native compiler is several times faster than the one the tools need; both claim .bin/tsc.
  const compiler = join(projectRoot, 'node_modules/ts7/bin/tsc');
  for (const runtime of runtimes) {
    results.push(await check(`types of ${runtime}`, process.execPath, [compiler, '-p', `tsconfig.${runtime}.json`]));
  }
  results.push(await check('knip', 'knip', ['--no-progress', '--no-config-hints']));
  results.push(await check('generated documents', process.execPath, ['scripts/docs.ts', '--check']));
  const problems = findRequirementProblems();
  results.push(report('requirements cited by tests', problems.length === 0, problems.join('\n'), 0));
  return results;
}

async function layers(): Promise<StepResult> {
  const startedMs = performance.now();
  const { code, output } = await run('depcruise', ['--output-type', 'err-long', 'src', 'scripts'], { quiet: true });
  const modules = Number(/(\d+) modules/.exec(output)?.[1] ?? 0);
  const ok = code === 0 && modules >= minModules;
  const note = modules < minModules ? `only ${modules} modules read, expected at least ${minModules}\n` : '';
  return report(`import rules, ${modules} modules`, ok, output + note, performance.now() - startedMs);
}
