/**
 * Whether a model can raise its own figure: rows are trained on, every suspect label of whatever side is given the
 * option that the models find likelier, many at once, and so on for three rounds; what is said of each policy beside
 * what it gets right on rows that nobody touched, and what the current labels would have said.
 * Run: `node test/bench/figures/first-labels.ts FOLDER [--deals n] [--rounds 3] [--only NAME]… [--tree DIR]`. FOLDER
 * holds NAME/{train,test}.jsonl; DIR is another state of the program. It fails where the mean of a round, over the deals
 * of a set, is off by more than 2.5 points.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Metrics } from '../../../src/engine/domain/metrics.ts';
import { isInProgress, type PolicyStatus } from '../../../src/engine/domain/training.ts';
import type { WholeDecision } from '../../../src/engine/measured.ts';
import { type RunningWorkbench, startProgramOf } from '../../e2e/tools/workbench-process.ts';
import { dealRows, type Row } from './deal-rows.ts';

type Finding = { example_ids: string[]; suggested_decision: string };
type Found = { state: string; stale: boolean; pages: number; items: Finding[] };
type Policy = { status: PolicyStatus; error: string | null; metrics: Metrics | null };
type Round = { said: number; asNow: number; alone: number; errorSaid: number; true: number; errorTrue: number };

const text = { type: 'string' } as const;
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { deals: text, rounds: text, only: { ...text, multiple: true, default: [] }, tree: text },
});
const [folder] = positionals;
if (folder === undefined) throw new Error('FOLDER is missing');
const rounds = Number(flags.rounds ?? 3);
const tree = resolve(flags.tree ?? resolve(import.meta.dirname, '../../..'));
const maxOffPoints = 2.5;
const pollMs = 200;
const batchSize = 50;

/** Rows that are labelled, and those that nobody touches; of a fifth of few rows it takes more deals to tell. */
const sizes: Record<string, { labelled: number; untouched: number; deals: number }> = {
  german_credit: { labelled: 600, untouched: 400, deals: 10 },
  car_evaluation: { labelled: 700, untouched: 1_000, deals: 5 },
  sms_spam: { labelled: 500, untouched: 1_000, deals: 2 },
  complaint_routing: { labelled: 500, untouched: 500, deals: 4 },
  home_commands_de: { labelled: 600, untouched: 1_000, deals: 3 },
};

const workbench = await startProgramOf(tree, mkdtempSync(join(tmpdir(), 'workbench-')));
const { key } = (
  await workbench.call<{ key: string }>('POST', '/api/v1/api-keys', { name: 'bench', rate_limit_per_minute: 1_000_000 })
).body;

async function ask<T>(...[method, path, body]: Parameters<RunningWorkbench['call']>): Promise<T> {
  const answer = await workbench.call<T>(method, `/api/v1${path}`, body, key);
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Trains a type until its labels are checked, puts the policy in charge and says its id. */
async function trainAndDeploy(path: string): Promise<string> {
  const config = { tune_hyperparams: false, tune_encoder: false, rare_options: 'set_aside' };
  const { policy_id: id } = await ask<{ policy_id: string }>('POST', `${path}/train`, config);
  for (;;) {
    const { status, error, metrics } = await ask<Policy>('GET', `${path}/policies/${id}`);
    if (status === 'failed') throw new Error(`${path} failed: ${error}`);
    if (!isInProgress(status) && metrics?.follow_up?.state !== 'pending') break;
    await wait(pollMs);
  }
  await ask('POST', `${path}/policies/${id}/deploy`, { reason: 'bench' });
  return id;
}

/** Gives every suspect label what the models find likelier, as the findings' keys do. */
async function takeAllDoubts(path: string): Promise<void> {
  const items: Finding[] = [];
  for (let page = 1, pages = 1; page <= pages; ) {
    const found = await ask<Found>('GET', `${path}/data-findings?kind=suspect_label&page_size=100&page=${page}`);
    if (found.state !== 'ready' || found.stale) {
      await wait(pollMs);
      continue;
    }
    items.push(...found.items);
    pages = found.pages;
    page += 1;
  }
  for (const [decision, found] of Map.groupBy(items, ({ suggested_decision }) => suggested_decision)) {
    const ids = found.flatMap(({ example_ids }) => example_ids);
    await ask('POST', `${path}/examples/bulk`, { action: 'set_decision', ids, decision });
  }
}

type Batch = { results: ({ decision: string; escalate: boolean } | null)[]; failed: number };

/** What the deployed policy decides right of rows that nobody touched, and wrong among those it decides alone. */
async function measureTruth(type: string, rows: readonly Row[]): Promise<Pick<Round, 'true' | 'errorTrue'>> {
  const counts = { right: 0, alone: 0, wrongAlone: 0 };
  for (let at = 0; at < rows.length; at += batchSize) {
    const part = rows.slice(at, at + batchSize);
    const decisions = part.map(({ input }) => ({ decision_type: type, input }));
    const batch = { decisions };
    const { results, failed: refused } = await ask<Batch>('POST', '/decide/batch?dry_run=true', batch);
    if (refused > 0) throw new Error(`${type}: ${refused} inputs were refused`);
    for (const [i, result] of results.entries()) {
      const isRight = result?.decision === part[i]?.decision;
      if (isRight) counts.right += 1;
      if (result === null || result.escalate) continue;
      counts.alone += 1;
      if (!isRight) counts.wrongAlone += 1;
    }
  }
  return { true: counts.right / rows.length, errorTrue: counts.wrongAlone / Math.max(1, counts.alone) };
}

async function runDeal(name: string, deal: number): Promise<Round[]> {
  const { labelled, untouched } = sizes[name] ?? { labelled: 0, untouched: 0 };
  const all = dealRows(folder ?? '', name, deal);
  const rows = all.slice(0, labelled);
  const options = [...new Set(rows.map(({ decision }) => decision))];
  const type = `${name} ${deal}`;
  const { id } = await ask<{ id: string }>('POST', '/decision-types', { name: type, options });
  const path = `/decision-types/${id}`;
  await ask('POST', `${path}/examples`, { examples: rows });
  // An option that no labelled row has cannot be right.
  const others = all.slice(labelled).filter(({ decision }) => options.includes(decision));
  const found: Round[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    if (round > 0) await takeAllDoubts(path);
    const policyId = await trainAndDeploy(path);
    const whole = await ask<WholeDecision>('GET', `${path}/policies/${policyId}/whole-decision`);
    found.push({
      said: whole.accuracy.share ?? 0,
      asNow: whole.relabelled?.accuracy.share ?? whole.accuracy.share ?? 0,
      alone: whole.automatic.share ?? 0,
      errorSaid: whole.error_automatic.share ?? 0,
      ...(await measureTruth(type, others.slice(0, untouched))),
    });
  }
  return found;
}

const percent = (share: number) => (100 * share).toFixed(1);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
let failed = false;
console.log('Off by: said minus untouched, in points, with its standard error over the deals of the rows.\n');
console.log('| set | deals | round | said | off by | untouched | by the new labels | said wrong alone | truly |');
console.log('|---|---|---|---|---|---|---|---|---|');
try {
  for (const name of Object.keys(sizes).filter((each) => flags.only.length === 0 || flags.only.includes(each))) {
    const deals = Number(flags.deals ?? sizes[name]?.deals);
    const ofDeals: Round[][] = [];
    for (let deal = 0; deal < deals; deal += 1) ofDeals.push(await runDeal(name, deal));
    for (let round = 0; round <= rounds; round += 1) {
      const found = ofDeals.flatMap((deal) => deal[round] ?? []);
      const of = (part: keyof Round) => percent(mean(found.map((each) => each[part])));
      const off = found.map((each) => 100 * (each.said - each.true));
      const meanOff = mean(off);
      const error = Math.sqrt(mean(off.map((each) => (each - meanOff) ** 2)) / Math.max(1, deals - 1));
      failed ||= Math.abs(meanOff) > maxOffPoints;
      const offBy = `${meanOff > 0 ? '+' : ''}${meanOff.toFixed(1)}${deals > 1 ? ` ± ${error.toFixed(1)}` : ''}`;
      console.log(
        `| ${[name, deals, round, of('said'), offBy, of('true'), of('asNow'), of('errorSaid'), of('errorTrue')].join(' | ')} |`,
      );
    }
  }
} finally {
  await workbench.stop();
}
if (failed) {
  console.log(`\nThe mean of a round is off by more than ${maxOffPoints} points.`);
  process.exitCode = 1;
}
