/**
 * What is said of a policy beside what it gets right on rows that nobody touched, where labels began at none: rows
 * without labels are imported, and an oracle answers those that the queue gives out over REST, in its own order, or rows
 * in random order. With `--hints` the type begins with hints, too.
 * Of each policy an error of 10 % is asked to be promised, and what is promised is counted on the untouched rows.
 * Run: `node test/bench/figures/from-nothing.ts FOLDER [--only NAME]… [--labels 50,100,200,400] [--orders useful,random]
 * [--draws 1] [--pool 2000] [--hints FILE] [--tree DIR]`. FOLDER holds NAME/{train,test}.jsonl, FILE a list of
 * `{"condition": …, "then": …}`, DIR another state of the program.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Metrics } from '../../../src/engine/domain/metrics.ts';
import { isInProgress, type PolicyStatus } from '../../../src/engine/domain/training.ts';
import type { WholeDecision } from '../../../src/engine/measured.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { type RunningWorkbench, startProgramOf } from '../../e2e/tools/workbench-process.ts';
import { dealRows, type Row } from './deal-rows.ts';

type Hint = { condition: string; then: string };
type Policy = { status: PolicyStatus; error: string | null; metrics: Metrics | null };
type Example = { id: string; input_payload: Record<string, unknown> };
type Next = { items: { example: Example }[]; labelling_model: { examples_read: number; drawn: number } };

const text = { type: 'string' } as const;
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { ...text, multiple: true, default: ['sms_spam', 'home_commands_de', 'car_evaluation'] },
    labels: { ...text, default: '50,100,200,400' },
    orders: { ...text, default: 'useful,random' },
    draws: { ...text, default: '1' },
    pool: { ...text, default: '2000' },
    hints: text,
    tree: text,
  },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('FOLDER is missing');
const marks = flags.labels.split(',').map(Number);
const hints = flags.hints === undefined ? [] : (JSON.parse(readFileSync(flags.hints, 'utf8')) as Hint[]);
const targetError = 0.1;
/** Labels in random order are compared from here on: with fewer, hardly a drawn row has one. */
const minRandomLabels = 200;
/** From here on a figure is compared with what is true. */
const minSaidLabels = 100;
const maxUntouched = 1_000;
const givenAtOnce = 20;
const batchSize = 50;
const pollMs = 200;

const tree = resolve(flags.tree ?? resolve(import.meta.dirname, '../../..'));
const workbench = await startProgramOf(tree, mkdtempSync(join(tmpdir(), 'workbench-')));
const { key } = (
  await workbench.call<{ key: string }>('POST', '/api/v1/api-keys', { name: 'bench', rate_limit_per_minute: 1_000_000 })
).body;

async function ask<T>(...[method, path, body]: Parameters<RunningWorkbench['call']>): Promise<T> {
  const answer = await workbench.call<T>(method, `/api/v1${path}`, body, key);
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body).slice(0, 500)}`);
  return answer.body;
}

/** Makes a type with rows without a label, and waits until the labelling model has read them. */
async function makeType(name: string, rows: readonly Row[], options: readonly string[]): Promise<string> {
  const hard_rules = hints.map((hint, i) => ({ ...hint, name: `hint ${i + 1}`, hint: true }));
  const { id } = await ask<{ id: string }>('POST', '/decision-types', { name, options, hard_rules });
  const path = `/decision-types/${id}`;
  for (let at = 0; at < rows.length; at += 1_000) {
    const examples = rows.slice(at, at + 1_000).map(({ input }) => ({ input }));
    await ask('POST', `${path}/examples`, { examples });
  }
  for (;;) {
    const next = await ask<Next>('GET', `${path}/examples/next?count=1&session=reader&restart=true`);
    if (next.labelling_model.examples_read >= rows.length) break;
    await wait(pollMs);
  }
  await ask('GET', `${path}/examples/next?count=1&session=reader&restart=true&queue=flagged`);
  return path;
}

async function listExamples(path: string): Promise<Example[]> {
  const found: Example[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const list = await ask<{ items: Example[]; pages: number }>('GET', `${path}/examples?page_size=100&page=${page}`);
    pages = list.pages;
    found.push(...list.items);
  }
  return found;
}

/** Gives the next examples to label, in the order of the queue or in a random one. */
function openOrder(path: string, order: string, draw: number, examples: readonly Example[]) {
  const random = createRandom(draw + 100);
  const shuffled = [...examples].map((each) => ({ each, at: random() })).sort((a, b) => a.at - b.at);
  let from = 0;
  return async (count: number): Promise<Example[]> => {
    if (order === 'random') {
      from += count;
      return shuffled.slice(from - count, from).map(({ each }) => each);
    }
    const { items } = await ask<Next>('GET', `${path}/examples/next?count=${count}&session=page&queue=to_label`);
    return items.map(({ example }) => example);
  };
}

/** Trains and deploys; gives the policy's id, or null where the type is not ready. */
async function train(path: string): Promise<string | null> {
  const { ready } = await ask<{ ready: boolean }>('GET', `${path}/training-readiness`);
  if (!ready) return null;
  const { policy_id: id } = await ask<{ policy_id: string }>('POST', `${path}/train`, { tune_encoder: false });
  for (;;) {
    const { status, error } = await ask<Policy>('GET', `${path}/policies/${id}`);
    if (status === 'failed') throw new Error(`${path} failed: ${error}`);
    if (!isInProgress(status)) break;
    await wait(pollMs);
  }
  await ask('POST', `${path}/policies/${id}/deploy`, { reason: 'bench' });
  return id;
}

/** What is right on untouched rows, and of those at or above a threshold how many are not. */
async function measureTruth(name: string, rows: readonly Row[], threshold: number | null) {
  let right = 0;
  const above = { rows: 0, wrong: 0 };
  for (let at = 0; at < rows.length; at += batchSize) {
    const part = rows.slice(at, at + batchSize);
    const body = { decisions: part.map(({ input }) => ({ decision_type: name, input })) };
    type Batch = { results: ({ decision: string; confidence: number; stage: string } | null)[] };
    const { results } = await ask<Batch>('POST', '/decide/batch?dry_run=true', body);
    results.forEach((result, i) => {
      const isRight = result?.decision === part[i]?.decision;
      if (isRight) right += 1;
      if (threshold === null || (result?.confidence ?? 0) < threshold) return;
      above.rows += 1;
      above.wrong += Number(!isRight);
    });
  }
  return { share: right / rows.length, above };
}

/** The confidence from which an error of 10 % is promised; null where it is not. */
async function askPromise(path: string, id: string): Promise<number | null> {
  const asked = `${path}/policies/${id}/promise?target_error=${targetError}`;
  const { possible, threshold } = await ask<{ possible: boolean; threshold: number | null }>('GET', asked);
  return possible ? threshold : null;
}

const percent = (share: number) => (100 * share).toFixed(1);
const sums = { measured: 0, off: 0, inside: 0, promises: 0, broken: 0 };
const truths = new Map<string, number>();

async function run(set: string, draw: number, order: string): Promise<void> {
  const rows = dealRows(folder ?? '', set, draw);
  const options = [...new Set(rows.map(({ decision }) => decision))].sort();
  const pool = rows.slice(0, Math.min(Number(flags.pool), Math.round(0.6 * rows.length)));
  const untouched = rows.slice(pool.length, pool.length + maxUntouched);
  const truthOf = new Map(pool.map(({ input, decision }) => [JSON.stringify(input), decision]));
  const name = `${set} ${draw} ${order}`;
  const path = await makeType(name, pool, options);
  const next = openOrder(path, order, draw, await listExamples(path));
  for (let labels = 0; ; ) {
    const isMark = marks.includes(labels) && (order !== 'random' || labels >= minRandomLabels);
    if (isMark || (labels === 0 && hints.length > 0)) {
      const id = await train(path);
      const whole = id === null ? null : await ask<WholeDecision>('GET', `${path}/policies/${id}/whole-decision`);
      const promise = id === null ? null : await askPromise(path, id);
      const found = id === null ? null : await measureTruth(name, untouched, promise);
      const truth = found?.share ?? null;
      if (truth !== null) truths.set(`${set} ${draw} ${order} ${labels}`, truth);
      const said = whole?.accuracy?.share ?? null;
      const { low = 0, high = 1, of = 0 } = whole?.accuracy ?? {};
      if (said !== null && truth !== null && labels >= minSaidLabels && order === 'useful') {
        sums.measured += 1;
        sums.off += Math.abs(said - truth);
        sums.inside += Number(low <= truth && truth <= high);
      }
      const error = found === null || found.above.rows === 0 ? 0 : found.above.wrong / found.above.rows;
      sums.promises += Number(promise !== null);
      sums.broken += Number(promise !== null && error > targetError);
      const cells = [
        set,
        draw,
        order,
        labels,
        said === null ? '–' : `${percent(said)} (${percent(low)}–${percent(high)}, ${of} rows)`,
        truth === null ? 'refused' : percent(truth),
        said === null || truth === null ? '' : (100 * (said - truth)).toFixed(1),
        promise === null ? '' : `${percent(error)} from ${promise.toFixed(2)} on`,
      ];
      console.log(`| ${cells.join(' | ')} |`);
    }
    if (labels >= Math.max(...marks)) return;
    const mark = marks.find((each) => each > labels) ?? labels;
    const given = await next(Math.min(givenAtOnce, mark - labels));
    if (given.length === 0) return;
    for (const { id, input_payload } of given) {
      const expected_decision = truthOf.get(JSON.stringify(input_payload));
      await ask('PATCH', `${path}/examples/${id}`, { expected_decision });
      labels += 1;
    }
  }
}

console.log('| set | draw | order | labels | said (95 %) | untouched rows | off by | promised: wrong |');
console.log('|---|---|---|---|---|---|---|---|');
try {
  for (const set of flags.only) {
    for (let draw = 0; draw < Number(flags.draws); draw += 1) {
      for (const order of flags.orders.split(',')) await run(set, draw, order);
    }
  }
} finally {
  await workbench.stop();
}
const mean = (sum: number, of: number) => (100 * sum) / Math.max(1, of);
console.log(
  `\nMean |said − untouched| from ${minSaidLabels} labels on: ${mean(sums.off, sums.measured).toFixed(1)} points; inside the interval: ${mean(sums.inside, sums.measured).toFixed(0)} % of ${sums.measured}; promises broken: ${sums.broken} of ${sums.promises}.`,
);
for (const labels of marks) {
  const gains = [...truths].flatMap(([name, truth]) => {
    const random = truths.get(name.replace('useful', 'random'));
    return name.endsWith(` useful ${labels}`) && random !== undefined ? [truth - random] : [];
  });
  const sum = gains.reduce((total, gain) => total + gain, 0);
  if (gains.length > 0)
    console.log(`Queue − random at ${labels}: ${mean(sum, gains.length).toFixed(1)} points in ${gains.length} runs.`);
}
