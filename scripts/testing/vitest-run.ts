/** Running vitest and reading what it found. */
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { inspect } from 'node:util';
import { BaseSequencer, startVitest, type TestCase, type TestModule, type TestSpecification } from 'vitest/node';
import { projectRoot } from '../freshness.ts';
import { readKeptTimes } from './kept-runs.ts';
import { type StepResult, stepEnvironment } from './steps.ts';

type Selection = {
  projects: readonly string[];
  /** Parts of paths: files that have one of them; by default all files. */
  only?: readonly string[];
  /** Parts of paths: files that have none of them. */
  exclude?: readonly string[];
  /** One file at a time, in a process of its own: stories that measure time have the machine to themselves. */
  isSerial?: boolean;
  env?: Readonly<Record<string, string>>;
};

/** Compiled sources for the programs that stories start: the next start takes less than half the processor time. */
const compileCache = join(projectRoot, 'test-results', 'compile-cache');

/**
 * Begins with the files that the kept run lacks, goes on with those that took longest in it, so that no core waits for
 * the last of them, and ends with those that wait for the Python environment, which is made meanwhile.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const kept = readKeptTimes();
    const toSeconds = ({ moduleId }: TestSpecification) => kept[relative(projectRoot, moduleId)] ?? Number.MAX_VALUE;
    const asksPython = ({ moduleId }: TestSpecification) =>
      /find(?:Edge)?Python|requireEdgePython/.test(readFileSync(moduleId, 'utf8'));
    return files
      .map((file) => ({ file, waits: asksPython(file), seconds: toSeconds(file) }))
      .sort((a, b) => Number(a.waits) - Number(b.waits) || b.seconds - a.seconds)
      .map(({ file }) => file);
  }
}

/** Runs the chosen stories and counts them; a file that could not be loaded counts as one failed story. */
export async function runVitest(name: string, selection: Selection): Promise<StepResult> {
  const { projects, only = [''], exclude = [], isSerial = false, env = {} } = selection;
  // Not by `cliExclude`: it is added to a list that every later run of this process finds as well.
  const chosen = globSync('test/**/*.test.{ts,tsx}', { cwd: projectRoot }).filter(
    (file) => only.some((part) => file.includes(part)) && !exclude.some((part) => file.includes(part)),
  );
  const vitest = await startVitest('test', chosen, {
    run: true,
    watch: false,
    project: [...projects],
    sequence: { sequencer: LongestFirst },
    env: { PATH: stepEnvironment().PATH, NODE_COMPILE_CACHE: compileCache, ...env },
    ...(isSerial ? { fileParallelism: false, isolate: true } : {}),
  });
  const files = vitest.state.getTestModules().map(readFile);
  const stories = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
  const faults = vitest.state.getUnhandledErrors().map((fault) => `beside the stories: ${inspect(fault)}`);
  await vitest.close();
  const failures = [...faults, ...files.flatMap((file) => file.failures)];
  if (files.length === 0) failures.push('no story was found');
  const passed = files.reduce((sum, file) => sum + file.passed, 0);
  const processorS = files.reduce((sum, file) => sum + file.processorS, 0);
  const flaky = stories.filter((story) => story.diagnostic()?.flaky).map(nameStory);
  return { name, passed, failed: failures.length, failures, files, flaky, processorS };
}

type FileResult = { file: string; processorS: number; passed: number; failures: readonly string[] };

function readFile(module: TestModule): FileResult {
  const file = nameFile(module);
  const suites = [module, ...module.children.allSuites()];
  const failures = suites.flatMap((suite) => suite.errors()).map(({ message }) => `${file}: ${message}`);
  const stories = [...module.children.allTests()];
  for (const story of stories) if (story.result().state === 'failed') failures.push(describeFailure(story));
  const passed = stories.filter((story) => story.result().state === 'passed').length;
  return { file, processorS: module.meta().processorS ?? module.diagnostic().duration / 1_000, passed, failures };
}

const nameStory = (story: TestCase) => `${nameFile(story.module)}: ${story.fullName}`;

const nameFile = (module: TestModule) => relative(projectRoot, module.moduleId);

function describeFailure(story: TestCase): string {
  const { errors = [] } = story.result();
  const reason = errors[0]?.stack ?? errors[0]?.message ?? '';
  return `${nameStory(story)}\n${reason.slice(0, 1_000)}`;
}
