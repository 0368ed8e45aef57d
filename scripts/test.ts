/**
 * `npm test`: every check and the fast stories; `-- --all`: the long ones, too, and each fault in its many rounds only;
 * `-- --long`: the long ones alone. All of them run even after a failure.
 */
import { parseArgs } from 'node:util';
import { runApiTests } from './testing/api-tests.ts';
import { prepareBrowser } from './testing/browser-tests.ts';
import { runChecks } from './testing/checks.ts';
import { prepareEdge, runEdgeTests, testOldestPython } from './testing/edge-tests.ts';
import { conclude, report, type StepResult } from './testing/steps.ts';
import { runVitest } from './testing/vitest-run.ts';

/**
 * Above this `npm test` fails, whatever its stories say: it is what is run before every commit. The machines of a gate
 * were seen to be slower by half.
 */
const maxFastMs = (process.env.CI ? 12 : 8) * 60_000;

/** The long run does what these files of `npm test` do once or a few times more often; none of them holds a time. */
const rounds = {
  'kill-loop.test': { KILL_LOOP_ROUNDS: '10' },
  'training-kills.test': { TRAINING_KILLS_PER_STAGE: '2' },
  'failing-calls.test': { FAILING_CALLS: '50' },
  'power-loss.test': { POWER_LOSS_IMAGES: '40' },
  'model/model.test': { MODEL_RUNS: '100' },
};

/** The same of files that hold limits on time, in the long run alone: they have the machine to themselves there. */
const timedRounds = {
  'early-answers.test': { MAX_BODY_MB: '64' },
  '-fuzz.test': { FUZZ_CASES: '300' },
  'work-per-byte.test': {},
};

const { values } = parseArgs({ options: { all: { type: 'boolean' }, long: { type: 'boolean' } } });
const browser = await prepareBrowser();
const results = [...browser.results];
if (!values.long) results.push(...(await runFast()));
if (values.long || values.all) results.push(...(await runLong()));
conclude(results);

async function runFast(): Promise<StepResult[]> {
  const startedMs = performance.now();
  const python = prepareEdge();
  const runStories = async () => {
    // In its environment the rules are compared across the two languages.
    await python;
    return runVitest('fast stories', {
      projects: ['unit', 'renderer', ...browser.projects],
      // With the long run, files that do more there come there alone.
      exclude: ['.long.test.', ...(values.all ? Object.keys({ ...rounds, ...timedRounds }) : [])],
    });
  };
  const steps = (await Promise.all([runChecks(), runEdgeTests(python), runStories()])).flat();
  const tookMs = performance.now() - startedMs;
  const note = `npm test takes longer than ${maxFastMs / 60_000} minutes: make stories cheaper, or give their files the suffix .long.test.ts`;
  return [...steps, report('time of npm test', tookMs <= maxFastMs, note, tookMs)];
}

async function runLong(): Promise<StepResult[]> {
  const units = ['unit', 'renderer'];
  await prepareEdge();
  const longStories = runVitest('long stories', {
    projects: units,
    only: ['.long.test.', ...Object.keys(rounds)],
    exclude: ['.timed.'],
    env: Object.assign({}, ...Object.values(rounds)),
  });
  // None of these holds a time; what comes after them has the machine to itself.
  const steps = (await Promise.all([longStories, runApiTests(), testOldestPython()])).flat();
  steps.push(
    await runVitest('timed stories', {
      projects: units,
      only: ['.timed.long.test.', ...Object.keys(timedRounds)],
      isSerial: true,
      env: Object.assign({}, ...Object.values(timedRounds)),
    }),
  );
  if (browser.projects.length > 0) {
    steps.push(await runVitest('browser stories', { projects: browser.projects, only: ['.long.test.'] }));
  }
  return steps;
}
