/** Trainings ordered while one runs: they wait in the server's queue, whoever ordered them. */
import { expect, it, onTestFinished } from 'vitest';
import type { ServerOptions } from '../../../src/server/process/options.ts';
import { spawnChild } from '../../../src/server/process/spawn-child.ts';
import {
  callerOf,
  complaintExamples,
  complaintType,
  createTrainable,
  loanExamples,
  loanType,
  pollUntil,
  quickly,
  startWorkbench,
  temporaryFolder,
  terminal,
  type Workbench,
  workerPid,
} from '../workbench.ts';

async function open(dataDir: string, changes: Partial<ServerOptions> = {}): Promise<Workbench> {
  const bench = await startWorkbench(dataDir, changes);
  onTestFinished(() => bench.stop());
  return bench;
}

const makeLoans = (bench: Workbench, name: string) => createTrainable(bench, { ...loanType, name }, loanExamples(40));
const order = async (bench: Workbench, path: string) => (await bench.call('POST', `${path}/train`, quickly)).body;
const readUsed = async ({ call }: Workbench) =>
  (await call('GET', '/credits/usage?operation=training')).body.summary.total_credits;

/** Begins a training whose worker stands still until `goOn`. */
async function holdSlot(bench: Workbench) {
  const path = await makeLoans(bench, 'first');
  const { policy_id: policyId } = await order(bench, path);
  const pid = workerPid(bench, policyId);
  process.kill(pid, 'SIGSTOP');
  return { policy: `${path}/policies/${policyId}`, path, goOn: () => process.kill(pid, 'SIGCONT') };
}

it('waits with its place, can be cancelled, and begins by itself with the examples of then [TRN-5] [TRN-25]', async () => {
  const bench = await open(temporaryFolder());
  const slot = await holdSlot(bench);
  const second = await makeLoans(bench, 'second');
  const third = await createTrainable(bench, complaintType, complaintExamples(40));
  const ordered = await bench.call('POST', `${second}/train`, quickly);
  expect([ordered.status, ordered.body]).toMatchObject([202, { status: 'queued', version: 1, deployed: false }]);
  const policy = `${second}/policies/${ordered.body.policy_id}`;
  const last = `${third}/policies/${(await order(bench, third)).policy_id}`;
  expect((await bench.call('GET', `${policy}/progress`)).body).toMatchObject({
    queue_place: 1,
    message: 'Place 1 in the queue: it begins by itself when the training under way has ended',
  });
  expect((await bench.call('GET', `${last}/progress`)).body).toMatchObject({
    status: 'queued',
    queue_place: 2,
    message: 'Place 2 in the queue: it begins by itself when those before it have ended',
    attempts: [],
    duration_hint: null,
  });
  // One of each type waits; the one that trains may have its next one wait, too.
  const again = await bench.call('POST', `${second}/train`, quickly);
  expect([again.status, again.body.error]).toMatchObject([
    409,
    { message: expect.stringContaining('waits already: policy v1'), details: [{ policy_id: ordered.body.policy_id }] },
  ]);
  const next = await order(bench, slot.path);
  expect(next).toMatchObject({ status: 'queued', version: 2 });
  const { text: measured } = await callerOf(bench.app, { authorization: `Bearer ${bench.token}` })('GET', '/metrics');
  for (const line of ['training_in_progress 1', 'trainings_waiting 3'])
    expect(measured).toContain(`decision_workbench_${line}\n`);
  for (const waiting of [last, `${slot.path}/policies/${next.policy_id}`])
    expect((await bench.call('POST', `${waiting}/cancel`)).body).toMatchObject({ status: 'cancelled', error: null });
  expect(await readUsed(bench)).toBe(2 * 2_000);
  expect((await bench.call('POST', `${policy}/deploy`)).status).toBe(409);

  const more = loanExamples(60).slice(-20);
  expect((await bench.call('POST', `${second}/examples`, { examples: more })).status).toBe(201);
  slot.goOn();
  const done = await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
  expect(done.body).toMatchObject({ status: 'deployed', queue_place: null });
  expect((await bench.call('GET', slot.policy)).body.status).toBe('deployed');
  const { metrics } = (await bench.call('GET', policy)).body;
  const { labelled } = (await bench.call('GET', `${second}/examples/stats`)).body;
  expect(metrics.train_size + metrics.test_size).toBe(labelled);
});

it('takes rows that come with their labels while it begins for none without a label [TRN-14]', async () => {
  const bench = await open(temporaryFolder());
  const path = await makeLoans(bench, 'loan');
  const ordered = order(bench, path);
  const later = Array.from({ length: 40 }, (_, row) => ({ input: { note: `later ${row}` }, decision: 'approve' }));
  expect((await bench.call('POST', `${path}/examples`, { examples: later })).status).toBe(201);
  const policy = `${path}/policies/${(await ordered).policy_id}`;
  const done = await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
  expect(done.body.status).toBe('deployed');
  expect((await bench.call('GET', policy)).body.held_back).toBeNull();
});

it('begins after a restart of the service, and ends with its decision type [TRN-25] [STA-12]', async () => {
  const dataDir = temporaryFolder();
  const before = await open(dataDir);
  const slot = await holdSlot(before);
  const [kept, gone] = [await makeLoans(before, 'kept'), await makeLoans(before, 'gone')];
  const [{ policy_id: keptId }, { policy_id: goneId }] = [await order(before, kept), await order(before, gone)];
  expect((await before.call('DELETE', gone)).status).toBe(204);
  expect(before.deps.store.policies.byId(goneId)?.status).toBe('cancelled');
  await before.stop();
  const bench = await open(dataDir);
  const done = await pollUntil(() => bench.call('GET', `${kept}/policies/${keptId}/progress`), terminal);
  expect(done.body).toMatchObject({ status: 'deployed', attempts: [{ attempt_number: 1 }] });
  expect((await bench.call('GET', slot.policy)).body.error).toContain('interrupted');
});

it('is given its credits back where no worker takes it, and the next one begins [TRN-3] [TRN-25]', async () => {
  let refused = 0;
  const bench = await open(temporaryFolder(), {
    spawnChild: (name, options) => {
      if (name === 'worker' && refused-- > 0) throw new Error('no process can be made');
      return spawnChild(name, options);
    },
  });
  const slot = await holdSlot(bench);
  const [second, third] = [await makeLoans(bench, 'second'), await makeLoans(bench, 'third')];
  const [{ policy_id: failed }, { policy_id: next }] = [await order(bench, second), await order(bench, third)];
  refused = 1;
  slot.goOn();
  const done = await pollUntil(() => bench.call('GET', `${third}/policies/${next}/progress`), terminal);
  expect(done.body.status).toBe('deployed');
  expect((await bench.call('GET', `${second}/policies/${failed}`)).body).toMatchObject({
    status: 'failed',
    error: 'The training could not be dispatched.',
  });
  expect(await readUsed(bench)).toBe(2 * 2_000);
});
