/**
 * `npm test`: every check and the fast stories; `-- --all`: also the long ones, and each fault in its many rounds only;
 * `-- --long`: the long ones alone; `-- --nightly`: all in their whole rounds; `-- --keep` keeps the files' times, with
 * which later runs compare theirs. All of them run even after a failure, and none fails by the time that it takes.
 */
import { parseArgs } from 'node:util';
import { runApiTests } from './testing/api-tests.ts';
import { prepareBrowser } from './testing/browser-tests.ts';
import { runChecks } from './testing/checks.ts';
import { prepareEdge, runEdgeTests, testOldestPython } from './testing/edge-tests.ts';
import { readProcessorSeconds } from './testing/processor-time.ts';
import { conclude, type StepResult } from './testing/steps.ts';
import { runVitest } from './testing/vitest-run.ts';

/** Files of the long run by the rounds that they go; none of them holds a time. */
const rounds = {
  'kill-loop.test': { KILL_LOOP_ROUNDS: '10' },
  'training-kills.long.test': { TRAINING_KILLS_PER_STAGE: '1' },
  'failing-calls.long.test': { FAILING_CALLS: '50' },
  'power-loss.long.test': { POWER_LOSS_IMAGES: '40' },
  'model/model.test': { MODEL_RUNS: '100' },
};

/** The same of files that hold limits on time, in the long run alone: they have the machine to themselves there. */
const timedRounds = {
  'early-answers.test': { MAX_BODY_MB: '24' },
  '-fuzz.test': { FUZZ_CASES: '100' },
  'work-per-byte.test': {},
  'work-per-row.long.test': {},
};

/** Files whose rounds are the long run's alone: of few of them `npm test` would learn little. */
const inRounds = [...Object.keys(rounds), ...Object.keys(timedRounds)];

/** The whole of what the long run does a part of: kills, bodies, random cases, every Python and Spark, the walk. */
const nightly = {
  TRAINING_KILLS_PER_STAGE: '2',
  MAX_BODY_MB: '64',
  FUZZ_CASES: '300',
  EVERY_PYTHON: '1',
  WALK_ROUNDS: '1',
};

const flag = { type: 'boolean' } as const;
const { values } = parseArgs({ options: { all: flag, long: flag, nightly: flag, keep: flag } });
if (values.nightly) Object.assign(process.env, nightly);
const isAll = values.all || values.nightly;
const isLong = values.long || isAll;
const wholeRounds = values.nightly ? nightly : {};
const untimed = {
  exclude: ['.timed.', ...Object.keys(timedRounds)],
  env: Object.assign({}, ...Object.values(rounds), wholeRounds),
};

const startedMs = performance.now();
const browser = isLong ? await prepareBrowser() : { results: [], projects: [] };
const projects = ['unit', 'renderer', ...browser.projects];
const python = prepareEdge();
const results = [...browser.results, ...(await Promise.all([runStories(), runBesideStories()])).flat()];
if (isLong) results.push(await runTimed());
await conclude(results, {
  tookMs: performance.now() - startedMs,
  processorS: readProcessorSeconds(),
  limitS: isLong ? 3_000 : 600,
});

/** One run of all stories that hold no time, so that no core waits for the last file of a part of them. */
function runStories(): Promise<StepResult> {
  if (!isLong) return runVitest('fast stories', { projects, exclude: ['.long.test.', ...inRounds] });
  if (isAll) return runVitest('stories', { projects, ...untimed });
  return runVitest('long stories', { projects, only: ['.long.test.', ...Object.keys(rounds)], ...untimed });
}

/** One program after the other: beside the stories they are enough for a machine of two cores. */
async function runBesideStories(): Promise<StepResult[]> {
  const steps = values.long ? [] : [...(await runChecks()), ...(await runEdgeTests(python))];
  if (isLong) steps.push(await runApiTests(), ...(await testOldestPython()));
  return steps;
}

/** The stories that hold limits on time have the machine to themselves. */
function runTimed(): Promise<StepResult> {
  return runVitest('timed stories', {
    projects: ['unit', 'renderer'],
    only: ['.timed.long.test.', ...Object.keys(timedRounds)],
    isSerial: true,
    env: Object.assign({}, ...Object.values(timedRounds), wholeRounds),
  });
}
