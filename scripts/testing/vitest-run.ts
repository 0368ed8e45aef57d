/** Running vitest and reading what it found. */
import { join, relative } from 'node:path';
import { inspect } from 'node:util';
import { startVitest, type TestCase, type TestModule } from 'vitest/node';
import { projectRoot } from '../freshness.ts';
import { type StepResult, stepEnvironment } from './steps.ts';

type Selection = {
  projects: readonly string[];
  /** Parts of paths: files that have one of them; left out: all. */
  only?: readonly string[];
  exclude?: string;
  /** One file at a time, in a process of its own: stories that measure time have the machine to themselves. */
  isSerial?: boolean;
  env?: Readonly<Record<string, string>>;
};

/** Compiled sources for the programs that stories start: the next start takes less than half the processor time. */
const compileCache = join(projectRoot, 'test-results', 'compile-cache');

/** More files with browser stories than this do not fail by chance: they are not repeated. */
const maxRepeatedFiles = 3;

/** Stories that drive a browser, which misses a moment now and then where others use the machine. */
const browserFolder = 'test/e2e/';

/**
 * Runs the chosen stories and counts them; a file that could not be loaded counts as one failed story. Where browser
 * stories of up to three files failed, these run once more, one at a time: a failure that is gone then is printed and
 * named as flaky.
 */
export async function runVitest(name: string, selection: Selection): Promise<StepResult> {
  const first = await runOnce(selection);
  const failed = first.files.filter(({ file, failures }) => file.startsWith(browserFolder) && failures.length > 0);
  if (failed.length === 0 || failed.length > maxRepeatedFiles) return summarise(name, first);
  const failures = failed.flatMap((file) => file.failures);
  process.stdout.write(`Run once more, because they failed:\n${failures.join('\n')}\n`);
  const again = await runOnce({ ...selection, only: failed.map(({ file }) => file), isSerial: true });
  const lasting = new Set(again.files.flatMap((file) => file.failures.map(firstLine)));
  return summarise(name, {
    files: [...first.files.filter((file) => !failed.includes(file)), ...again.files],
    faults: [...first.faults, ...again.faults],
    flaky: [...first.flaky, ...failures.map(firstLine).filter((failure) => !lasting.has(failure))],
  });
}

type RunOfFiles = {
  files: readonly { file: string; tookMs: number; passed: number; failures: readonly string[] }[];
  /** Errors that no story caught. */
  faults: readonly string[];
  flaky: readonly string[];
};

async function runOnce(selection: Selection): Promise<RunOfFiles> {
  const { projects, only = [], exclude, isSerial = false, env = {} } = selection;
  const vitest = await startVitest('test', [...only], {
    run: true,
    watch: false,
    project: [...projects],
    env: { PATH: stepEnvironment().PATH, NODE_COMPILE_CACHE: compileCache, ...env },
    ...(exclude === undefined ? {} : { cliExclude: [exclude] }),
    ...(isSerial ? { fileParallelism: false, isolate: true } : {}),
  });
  const modules = vitest.state.getTestModules();
  const faults = vitest.state.getUnhandledErrors().map((fault) => `beside the stories: ${inspect(fault)}`);
  await vitest.close();
  const stories = modules.flatMap((module) => [...module.children.allTests()]);
  return {
    files: modules.map(readFile),
    faults,
    flaky: stories.filter((story) => story.diagnostic()?.flaky).map(nameStory),
  };
}

function readFile(module: TestModule): RunOfFiles['files'][number] {
  const file = nameFile(module);
  const suites = [module, ...module.children.allSuites()];
  const failures = suites.flatMap((suite) => suite.errors()).map(({ message }) => `${file}: ${message}`);
  const stories = [...module.children.allTests()];
  for (const story of stories) if (story.result().state === 'failed') failures.push(describeFailure(story));
  const passed = stories.filter((story) => story.result().state === 'passed').length;
  return { file, tookMs: module.diagnostic().duration, passed, failures };
}

function summarise(name: string, { files, faults, flaky }: RunOfFiles): StepResult {
  const failures = [...faults, ...files.flatMap((file) => file.failures)];
  if (files.length === 0) failures.push('no story was found');
  const passed = files.reduce((sum, file) => sum + file.passed, 0);
  return { name, passed, failed: failures.length, failures, files, flaky };
}

const firstLine = (text: string) => text.split('\n')[0] ?? text;

const nameStory = (story: TestCase) => `${nameFile(story.module)}: ${story.fullName}`;

const nameFile = (module: TestModule) => relative(projectRoot, module.moduleId);

function describeFailure(story: TestCase): string {
  const { errors = [] } = story.result();
  const reason = errors[0]?.stack ?? errors[0]?.message ?? '';
  return `${nameStory(story)}\n${reason.slice(0, 1_000)}`;
}
