/**
 * `node test/bench/serving/while-training.ts [--seconds N]`: the time of a decision while a training runs, beside the time on
 * the same quiet program in the same run, and the training's own memory.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type RunningWorkbench, startWorkbenchProcess } from '../../e2e/tools/workbench-process.ts';
import { type LoadResult, runLoad } from './load.ts';

const root = resolve(import.meta.dirname, '../../..');
const flag = process.argv.indexOf('--seconds');
const seconds = flag > 0 ? Number(process.argv[flag + 1]) : 10;
const aimMs = 150;
type Row = { input: Record<string, unknown>; decision: string };
const rowsOf = (dataSet: string): Row[] =>
  readFileSync(join(root, `test/fixtures/${dataSet}/train.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);

async function makeType(workbench: RunningWorkbench, name: string, rows: Row[]): Promise<string> {
  const options = [...new Set(rows.map((row) => row.decision))];
  const created = await workbench.call<{ id: string }>('POST', '/api/v1/decision-types', { name, options });
  const path = `/api/v1/decision-types/${created.body.id}`;
  for (let at = 0; at < rows.length; at += 2_000)
    await workbench.call('POST', `${path}/examples`, { examples: rows.slice(at, at + 2_000) });
  return path;
}

const workbench = await startWorkbenchProcess();
try {
  const table = rowsOf('german_credit');
  const tabular = await makeType(workbench, 'tabular', table);
  const text = await makeType(workbench, 'text', rowsOf('sms_spam'));
  const train = async (path: string) =>
    (await workbench.call<{ policy_id: string }>('POST', `${path}/train`)).body.policy_id;
  const statusOf = async (path: string, policyId: string) =>
    (await workbench.call<{ status: string }>('GET', `${path}/policies/${policyId}/progress`)).body.status;
  const first = await train(tabular);
  while ((await statusOf(tabular, first)) === 'training') await wait(200);

  const key = await workbench.call<{ key: string }>('POST', '/api/v1/api-keys', {
    name: 'bench',
    rate_limit_per_minute: 1_000_000,
  });
  const load = (connections: number): Promise<LoadResult> =>
    runLoad({
      url: `${workbench.url}/api/v1/decide`,
      token: key.body.key,
      connections,
      seconds,
      body: (call) => ({ decision_type: 'tabular', input: table[call % table.length]?.input }),
    });
  const rows: string[] = [];
  const note = (name: string, connections: number, { requestsPerSecond, p50Ms, p99Ms, failures }: LoadResult) =>
    rows.push(
      `| ${name} | ${connections} | ${requestsPerSecond.toFixed(0)} | ${p50Ms.toFixed(2)} | ${p99Ms.toFixed(2)} | ${failures} | ${name === 'quiet' ? '' : `p99 < ${aimMs} ms`} |`,
    );
  await load(4);
  for (const connections of [1, 4, 16]) note('quiet', connections, await load(connections));
  const second = await train(text);
  for (const connections of [1, 4, 16]) note('training', connections, await load(connections));
  const during = await statusOf(text, second);
  process.stdout.write(
    [
      '| program | connections | requests/s | p50 ms | p99 ms | failures | aim |',
      '|---|---|---|---|---|---|---|',
      ...rows,
      '',
    ].join('\n'),
  );
  process.stdout.write(
    during === 'training'
      ? 'The training ran throughout.\n'
      : `The training ended (${during}) before the load did: take fewer --seconds.\n`,
  );
} finally {
  await workbench.stop();
}
process.exit(0);
