/**
 * `node test/bench/serving/first-policy.ts FOLDER [--before DIR] [--only NAME]… [--seconds 4] [--no-tuning]`:
 * seconds from the start of a training until its policy decides, in two states of the program on the same machine, with
 * the processor seconds of the training, what its background adds, and p99 of decide calls beside the background and
 * after it. FOLDER/banking77/{train,test}.jsonl are the texts; DIR is a checkout of the earlier state with its packages.
 */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Metrics } from '../../../src/engine/domain/metrics.ts';
import { isInProgress, type PolicyStatus } from '../../../src/engine/domain/training.ts';
import { type RunningWorkbench, startProgramOf } from '../../e2e/tools/workbench-process.ts';
import { mixedTable } from '../tables.ts';
import { type Row, readRows } from './decide-servers.ts';
import { runLoad } from './load.ts';

const text = { type: 'string' } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    before: text,
    only: { ...text, multiple: true, default: [] },
    seconds: text,
    tuning: { type: 'boolean', default: true },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('FOLDER is missing');
const seconds = Number(values.seconds ?? 4);
const now = resolve(import.meta.dirname, '../../..');
const states = { ...(values.before === undefined ? {} : { before: resolve(values.before) }), now };
const print = (line: string) => process.stdout.write(`${line}\n`);
const pollMs = 200;

const readIntents = (side: string) =>
  readFileSync(join(folder, 'banking77', `${side}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

/** Texts of 150 options: the 75 most frequent intents, each split at its median length; joined texts fill them up to 100. */
function splitIntents(): Row[] {
  const all = Map.groupBy([...readIntents('train'), ...readIntents('test')], ({ decision }) => decision);
  const largest = [...all].sort(([, a], [, b]) => b.length - a.length).slice(0, 75);
  return largest.flatMap(([decision, rows]) => {
    const byLength = rows.map(({ input }) => String(input['text'])).sort((a, b) => a.length - b.length);
    const middle = Math.ceil(byLength.length / 2);
    return [byLength.slice(0, middle), byLength.slice(middle)].flatMap((texts, half) =>
      Array.from({ length: 100 }, (_, i) => {
        const first = texts[i % texts.length] ?? '';
        const joined = i < texts.length ? first : `${first} ${texts[(i * 7 + 1) % texts.length]}`;
        return { input: { text: joined }, decision: `${decision} ${half === 0 ? 'short' : 'long'}` };
      }),
    );
  });
}

const readSample = (): Row[] =>
  JSON.parse(readFileSync(join(now, 'resources/samples/refund-requests.json'), 'utf8')).examples;

/** Each gives its rows, or null for the sample project. */
const sets: Record<string, () => Row[] | null> = {
  sample: () => null,
  german_credit: () => readRows('german_credit'),
  'table 10k': () => mixedTable(10_000, 1),
  'table 30k': () => mixedTable(30_000, 1),
  'table 100k': () => mixedTable(100_000, 1),
  banking77: () => readIntents('train'),
  'texts 15k x 150': splitIntents,
};

async function makeType({ call }: RunningWorkbench, name: string, rows: Row[] | null): Promise<string> {
  if (rows === null) {
    const { body } = await call<{ id: string }>('POST', '/api/v1/samples/refund-requests');
    return `/api/v1/decision-types/${body.id}`;
  }
  const options = [...new Set(rows.map(({ decision }) => decision))];
  const { body } = await call<{ id: string }>('POST', '/api/v1/decision-types', { name, options });
  const path = `/api/v1/decision-types/${body.id}`;
  for (let at = 0; at < rows.length; at += 2_000)
    await call('POST', `${path}/examples`, { examples: rows.slice(at, at + 2_000) });
  return path;
}

const ticksPerSecond = 100;
/** Processor seconds of the training processes of a program that still run, their threads included (Linux). */
function readTrainingSeconds({ pid }: RunningWorkbench): number {
  let ticks = 0;
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [parent, ...times] = readFileSync(`/proc/${entry}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(1) ?? [];
      if (Number(parent) !== pid || !/\/worker\.[tj]s/.test(readFileSync(`/proc/${entry}/cmdline`, 'utf8'))) continue;
      for (const time of times.slice(9, 13)) ticks += Number(time);
    } catch {
      // It ended meanwhile.
    }
  }
  return ticks / ticksPerSecond;
}

type Policy = { status: PolicyStatus; error: string | null; tuning?: string | null; metrics: Metrics | null };

async function measure(tree: string, state: string, name: string, rows: Row[] | null): Promise<void> {
  const workbench = await startProgramOf(tree, mkdtempSync(join(tmpdir(), `workbench-${state}-`)));
  try {
    const path = await makeType(workbench, name, rows);
    const typeName = (await workbench.call<{ name: string }>('GET', path)).body.name;
    const { body: made } = await workbench.call<{ key: string }>('POST', '/api/v1/api-keys', {
      name: 'bench',
      rate_limit_per_minute: 1_000_000,
    });
    const pool = rows ?? readSample();
    let calls = 0;
    // A number behind each text keeps the encoder's cache out of the figures.
    const ask = () => {
      const { input } = pool[++calls % pool.length] as Row;
      const field = ['text', 'message'].find((each) => each in input);
      const changed = field === undefined ? {} : { [field]: `${input[field]} ${calls}` };
      return { decision_type: typeName, input: { ...input, ...changed } };
    };
    const decide = { url: `${workbench.url}/api/v1/decide`, token: made.key, connections: 1, seconds, body: ask };
    const startedAt = performance.now();
    const since = () => (performance.now() - startedAt) / 1_000;
    // Some intents have fewer rows than a training asks for unless told otherwise.
    const config = { min_per_option: 8, ...(values.tuning ? {} : { tune_encoder: false }) };
    const { body } = await workbench.call<{ policy_id: string }>('POST', `${path}/train`, config);
    let trainingSeconds = 0;
    /** Follows the training until the policy is as wanted; the processor seconds are those of the last look. */
    const follow = async (isReached: (policy: Policy) => boolean): Promise<number> => {
      for (;;) {
        trainingSeconds = Math.max(trainingSeconds, readTrainingSeconds(workbench));
        const { body: policy } = await workbench.call<Policy>('GET', `${path}/policies/${body.policy_id}`);
        if (policy.status === 'failed') throw new Error(`${name} failed: ${policy.error}`);
        if (isReached(policy)) return since();
        await wait(pollMs);
      }
    };
    const first = await follow(({ status }) => !isInProgress(status));
    const ofPolicy = trainingSeconds;
    // The first calls load the policy, which is not the background's doing.
    await runLoad({ ...decide, seconds: 1 });
    const beside = (await runLoad(decide)).p99Ms;
    const isDone = ({ metrics, tuning }: Policy) =>
      metrics?.follow_up?.state !== 'pending' && typeof tuning !== 'string';
    const whole = await follow(isDone);
    const after = (await runLoad(decide)).p99Ms;
    const background = trainingSeconds - ofPolicy;
    const figures = [first, ofPolicy, background, whole, beside, after].map((value) => value.toFixed(1));
    print(`| ${name} | ${state} | ${figures.join(' | ')} |`);
  } finally {
    await workbench.stop();
  }
}

print(
  '| rows | state | policy after s | processor s | background, processor s | all after s | p99 ms beside | p99 ms after |',
);
print('|---|---|---|---|---|---|---|---|');
for (const [name, read] of Object.entries(sets)) {
  if (values.only.length > 0 && !values.only.includes(name)) continue;
  const rows = read();
  for (const [state, tree] of Object.entries(states)) await measure(tree, state, name, rows);
}
