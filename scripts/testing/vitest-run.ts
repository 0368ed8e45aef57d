/** Running vitest and reading what it found. */
import { relative } from 'node:path';
import { startVitest, type TestCase, type TestModule } from 'vitest/node';
import { projectRoot } from '../freshness.ts';
import { type StepResult, stepEnvironment } from './steps.ts';

type Selection = {
  projects: readonly string[];
  /** Parts of paths: files that have one of them; left out: all. */
  only?: readonly string[];
  exclude?: string;
  /** One file at a time, so that stories which measure time have the machine to themselves. */
  isSerial?: boolean;
  env?: Readonly<Record<string, string>>;
};

/** Runs the chosen stories and counts them; a file that could not be loaded counts as one failed story. */
export async function runVitest(
  name: string,
  { projects, only = [], exclude, isSerial = false, env = {} }: Selection,
): Promise<StepResult> {
  const vitest = await startVitest('test', [...only], {
    run: true,
    watch: false,
    project: [...projects],
    env: { PATH: stepEnvironment().PATH, ...env },
    ...(exclude === undefined ? {} : { cliExclude: [exclude] }),
    ...(isSerial ? { fileParallelism: false } : {}),
  });
  const modules = vitest.state.getTestModules();
  const faults = vitest.state.getUnhandledErrors();
  await vitest.close();
  let passed = 0;
  const failures = faults.map((fault) => `beside the stories: ${String(fault)}`);
  const flaky: string[] = [];
  for (const module of modules) {
    const suites = [module, ...module.children.allSuites()];
    for (const { message } of suites.flatMap((suite) => suite.errors()))
      failures.push(`${nameFile(module)}: ${message}`);
    for (const story of module.children.allTests()) {
      const { state } = story.result();
      if (state === 'passed') passed += 1;
      if (state === 'failed') failures.push(describeFailure(story));
      if (story.diagnostic()?.flaky) flaky.push(`${nameFile(module)}: ${story.fullName}`);
    }
  }
  if (modules.length === 0) failures.push('no story was found');
  const files = modules.map((module) => ({ file: nameFile(module), tookMs: module.diagnostic().duration }));
  return { name, passed, failed: failures.length, failures, files, flaky };
}

const nameFile = (module: TestModule) => relative(projectRoot, module.moduleId);

function describeFailure(story: TestCase): string {
  const { errors = [] } = story.result();
  const reason = errors[0]?.stack ?? errors[0]?.message ?? '';
  return `${nameFile(story.module)}: ${story.fullName}\n${reason.slice(0, 1_000)}`;
}
