/** Every check that reads the sources without running the program. */
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectRoot } from '../freshness.ts';
import { findRequirementProblems, listLongOnly } from '../requirements.ts';
import { check, report, run, type StepResult } from './steps.ts';

/** Below this the dependency check has not read the code: it reports "no violations" on nothing as well. */
const minModules = 60;

/** The native compiler is several times faster than the one the tools need; both claim .bin/tsc. */
const compiler = join(projectRoot, 'node_modules/ts7/bin/tsc');

/** Formatting and lint, import rules, types per runtime, unused code, generated documents, requirements. */
export async function runChecks(): Promise<StepResult[]> {
  const results = [await check('biome', 'biome', ['check', '--error-on-warnings', '--max-diagnostics=100', '.'])];
  results.push(await layers());
  results.push(...(await checkTypes(projectRoot)));
  results.push(await check('knip', 'knip', ['--no-progress', '--no-config-hints']));
  results.push(await check('generated documents', process.execPath, ['scripts/docs.ts', '--check']));
  const problems = findRequirementProblems();
  results.push(report('requirements cited by tests', problems.length === 0, problems.join('\n'), 0));
  const longOnly = listLongOnly();
  if (longOnly.length > 0) process.stdout.write(`       shown by long stories alone: ${longOnly.join(', ')}\n`);
  return results;
}

/**
 * Checks each project of tsconfig.json once, by the declarations of those below it, and the engine a second time, where
 * an indexed value may be undefined: everywhere but in the folders with a tsconfig of their own, whose loops over
 * numbers bound their indexes. The engine's own settings read those folders.
 */
export async function checkTypes(cwd: string): Promise<StepResult[]> {
  // Four checkers, as by default, take twice the processor time: each reads what the others have read.
  const settings = ['--pretty', 'false', '--singleThreaded'];
  const results = [await check('types', process.execPath, [compiler, '-b', ...settings], cwd)];
  const strict = ['--noUncheckedIndexedAccess', '--noEmit', '--composite', 'false', '--emitDeclarationOnly', 'false'];
  const args = [compiler, '-p', 'tsconfig.engine.json', ...strict, ...settings];
  const { output, processorS } = await run(process.execPath, args, { cwd, quiet: true });
  const numeric = globSync('src/**/tsconfig.json', { cwd }).map((path) => `${dirname(path)}/`);
  const problems = output.split(/\n(?=\S)/).filter((problem) => !numeric.some((folder) => problem.startsWith(folder)));
  const found = problems.join('\n').trim();
  results.push(report('types of indexes in the engine', found === '', found, processorS));
  return results;
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
