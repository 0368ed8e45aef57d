/** Every check that reads the sources without running the program. */
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../freshness.ts';
import { findRequirementProblems, listLongOnly } from '../requirements.ts';
import { check, report, run, type StepResult } from './steps.ts';

/** `main` reads the server's sources, under the same settings. */
const runtimes = ['engine', 'main', 'preload', 'renderer'];

/** Below this the dependency check has not read the code: it reports "no violations" on nothing as well. */
const minModules = 60;

/** The native compiler is several times faster than the one the tools need; both claim .bin/tsc. */
export const compiler = join(projectRoot, 'node_modules/ts7/bin/tsc');

/** Formatting and lint, import rules, types per runtime, unused code, generated documents, requirements. */
export async function runChecks(): Promise<StepResult[]> {
  const results = [await check('biome', 'biome', ['check', '--error-on-warnings', '--max-diagnostics=100', '.'])];
  results.push(await layers());
  results.push(await checkTypes(projectRoot));
  for (const runtime of runtimes) {
    results.push(await check(`types of ${runtime}`, process.execPath, [compiler, '-p', `tsconfig.${runtime}.json`]));
  }
  results.push(await check('knip', 'knip', ['--no-progress', '--no-config-hints']));
  results.push(await check('generated documents', process.execPath, ['scripts/docs.ts', '--check']));
  const problems = findRequirementProblems();
  results.push(report('requirements cited by tests', problems.length === 0, problems.join('\n'), 0));
  const longOnly = listLongOnly();
  if (longOnly.length > 0) process.stdout.write(`       shown by long stories alone: ${longOnly.join(', ')}\n`);
  return results;
}

/**
 * Checks sources, tests and scripts together, where an indexed value may be undefined; only in folders with a tsconfig
 * of their own, whose loops over numbers bound their indexes, it may not. The runtimes' checks read those folders.
 */
export async function checkTypes(cwd: string): Promise<StepResult> {
  const args = [compiler, '-p', 'tsconfig.json', '--pretty', 'false'];
  const { code, output, processorS } = await run(process.execPath, args, { cwd, quiet: true });
  const numeric = globSync('src/**/tsconfig.json', { cwd }).map((path) => `${dirname(path)}/`);
  const problems = output.split(/\n(?=\S)/).filter((problem) => !numeric.some((folder) => problem.startsWith(folder)));
  const ok = code === 0 || (output.includes(': error TS') && problems.join('').trim() === '');
  return report('types of everything', ok, problems.join('\n'), processorS);
}

async function layers(): Promise<StepResult> {
  const { code, output, processorS } = await run('depcruise', ['--output-type', 'err-long', 'src', 'scripts'], {
    quiet: true,
  });
  const modules = Number(/(\d+) modules/.exec(output)?.[1] ?? 0);
  const ok = code === 0 && modules >= minModules;
  const note = modules < minModules ? `only ${modules} modules read, expected at least ${minModules}\n` : '';
  return report(`import rules, ${modules} modules`, ok, output + note, processorS);
}
