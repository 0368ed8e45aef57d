/**
 * The program killed with SIGKILL within each change of many rows, and within its undo, after some of its transactions:
 * once it runs again, all of it is done or nothing.
 */
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { deployForAll, forAll, loanExamples, loanType, pollUntil } from '../../server/workbench.ts';
import { callAlone, type ServerProcess, startServerProcess } from '../tools/server-process.ts';
import { fillLog, logDays } from '../tools/storage/full-log.ts';
import { fillStore } from '../tools/storage/full-store.ts';

/** As many as 24 parts of a change. */
const rows = 12_000;
const killedAfter = [2, 6];
const folder = deployForAll(loanType, loanExamples(40));
const file = () => path.join(folder.dataDir, 'workbench.db');

const changes = [
  ['examples/bulk', { action: 'set_status', status: 'flagged', filter: {} }],
  ['examples/bulk', { action: 'set_decision', decision: 'decline', filter: { decision: 'approve' } }],
  ['examples/bulk', { action: 'delete', filter: { decision: 'approve' } }],
  ['examples/second-readings', { share: 0.9 }],
  ['options/rename', { from: 'approve', to: 'accept', commit: true }],
  ['options/merge', { from: 'approve', into: 'decline', commit: true }],
  ['options/delete', { option: 'approve', examples: 'delete', commit: true }],
] as const;

let server: ServerProcess;
forAll(
  async () => {
    fillStore(folder.dataDir, { typeId: folder.url.split('/').at(-1) ?? '', policyId: folder.policyId }, rows);
    const inputs = [{ amount: 1_200 }];
    fillLog(folder.dataDir, { count: rows, typeSeqAt: () => 1, inputs, options: ['approve', 'decline'] });
    server = await startServerProcess(folder.dataDir);
    return server;
  },
  () => server.end('SIGKILL'),
);

async function call(method: string, at: string, body?: object) {
  const answer = await callAlone(server.port, method, `${folder.url}${at}`, `Bearer ${folder.key}`, body);
  expect([at, answer.status, answer.body.error]).toEqual([at, 200, undefined]);
  return answer.body;
}

/** What people see of the type: its options, its examples by label and queue, and who reads some again. */
async function read() {
  const { active_version, fallback_option } = await call('GET', '');
  const { drawn, waiting } = await call('GET', '/agreement');
  return [active_version.options, fallback_option, await call('GET', '/examples/stats'), drawn, waiting];
}

/** Kills the program when it has written so often since `work` began, unless that is done before; says whether it did. */
async function killWithin(work: () => Promise<unknown>, writes: number): Promise<boolean> {
  const db = new Database(file(), { readonly: true });
  onTestFinished(() => void db.close());
  const readVersion = () => db.pragma('data_version', { simple: true });
  let isDone = false;
  let version = readVersion();
  const working = work().then(
    () => (isDone = true),
    () => undefined,
  );
  for (let left = writes; left > 0 && !isDone; ) {
    await setImmediate();
    const now = readVersion();
    if (now !== version) left -= 1;
    version = now;
  }
  const isKilled = !isDone;
  await server.end('SIGKILL');
  await working;
  server = await startServerProcess(folder.dataDir);
  return isKilled;
}

/** The token of the newest change, which nobody was told who was killed before the answer. */
function findToken(): string {
  const db = new Database(file(), { readonly: true });
  const token = db.prepare<[], string>('SELECT token FROM example_undos ORDER BY rowid DESC LIMIT 1').pluck().get();
  db.close();
  return token ?? '';
}

it('P5: a change of many rows and its undo are whole, or not at all, wherever the program is killed [OPT-1]', async () => {
  await call('PUT', '', { options: [...loanType.options, 'refer'] });
  for (const [address, order] of changes) {
    const change = () => call('POST', `/${address}`, order);
    const undo = (token: string) =>
      call('POST', address.startsWith('options') ? '/options/undo' : '/examples/undo', { undo_token: token });
    // Second readings go with an example, also where its deletion is undone.
    await undo((await change()).undo_token);
    const before = await read();
    const { undo_token: first } = await change();
    const after = await read();
    expect(after).not.toEqual(before);
    await undo(first);
    expect(await read()).toEqual(before);
    for (const writes of killedAfter) {
      // Now and then one is over before all its writes were seen.
      while (!(await killWithin(change, writes))) await undo(findToken());
      const found = await read();
      expect([before, after]).toContainEqual(found);
      const isMade = JSON.stringify(found) === JSON.stringify(after);
      let token = isMade ? findToken() : (await change()).undo_token;
      while (!(await killWithin(() => undo(token), writes))) token = (await change()).undo_token;
      const left = await read();
      expect([before, after]).toContainEqual(left);
      if (JSON.stringify(left) !== JSON.stringify(before)) await undo(token);
      expect(await read()).toEqual(before);
    }
  }
});

it('records past their retention go, and no others, where the program is killed within that', async () => {
  const daysKept = logDays / 2;
  const count = async () => (await call('GET', '/logs?page_size=1')).total as number;
  const young = new Date(Date.now() - (daysKept - 1) * 86_400_000).toISOString();
  const countYoung = async () => (await call('GET', `/logs?page_size=1&start_time=${young}`)).total as number;
  const [all, kept] = [await count(), await countYoung()];
  await call('PUT', '', { retention_days: daysKept });
  await server.end();
  server = await startServerProcess(folder.dataDir);
  const isOver = () => pollUntil(count, (left) => left < all / 2 + rows / logDays);
  await killWithin(isOver, 3);
  await isOver();
  expect(await countYoung()).toBe(kept);
});
