/** Trainings that are cancelled, killed, stopped or cut off: each ends in exactly one terminal state. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { spawnChild } from '../../../src/server/process/spawn-child.ts';
import {
  complaintExamples,
  complaintType,
  createTrainable,
  loanExamples,
  loanType,
  makeDataDir,
  pollUntil,
  removeDataDir,
  startWorkbench,
  stoppedClock,
  terminal,
  type Workbench,
  workerPid,
} from '../../server/workbench.ts';
import { isAlive } from '../tools/is-alive.ts';
import { passSilently } from '../tools/silent-clock.ts';
import { hearReports } from '../tools/worker-reports.ts';

let dataDir: string;
let bench: Workbench;
const artifacts = () => readdirSync(join(dataDir, 'artifacts'));

beforeEach(() => {
  dataDir = makeDataDir();
});
afterEach(async () => {
  await bench.stop();
  removeDataDir(dataDir);
});

async function startSlowTraining(): Promise<{ path: string; policyId: string; policy: string }> {
  const path = await createTrainable(bench, complaintType, complaintExamples(60));
  const started = await bench.call('POST', `${path}/train`);
  expect(started.status).toBe(202);
  const policyId = started.body.policy_id;
  return { path, policyId, policy: `${path}/policies/${policyId}` };
}

describe('a training that is interrupted', () => {
  it('is cancelled on request, which may be repeated, and frees the slot [STA-7] [STA-9] [STA-10] [PRG-5]', async () => {
    bench = await startWorkbench(dataDir);
    const { path, policyId, policy } = await startSlowTraining();
    const pid = workerPid(bench, policyId);
    const first = await bench.call('POST', `${policy}/cancel`);
    expect([first.status, first.body.status]).toEqual([200, 'cancelling']);
    expect((await bench.call('POST', `${policy}/cancel`)).status).toBe(200);
    const done = await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
    expect(done.body).toMatchObject({ status: 'cancelled', attempts: [{ status: 'cancelled' }] });
    expect(isAlive(pid)).toBe(false);
    expect(artifacts()).toEqual([]);
    expect((await bench.call('POST', `${policy}/cancel`)).body.status).toBe('cancelled');
    expect((await bench.call('POST', `${policy}/deploy`)).status).toBe(409);
    expect((await bench.call('POST', `${path}/train`)).status).toBe(202);
  });

  /** Starts a workbench whose workers stop with the first that they say: that they have taken the order. */
  const startBeforeRows = () =>
    startWorkbench(dataDir, {
      spawnChild(name, options) {
        const child = spawnChild(name, options);
        if (name === 'worker') child.once('message', () => child.kill('SIGSTOP'));
        return child;
      },
    });
  const used = async () => (await bench.call('GET', '/credits/usage?operation=training')).body.summary.total_credits;

  it('costs nothing when it is cancelled before it began to compute [CRD-6]', async () => {
    bench = await startBeforeRows();
    const { policy } = await startSlowTraining();
    expect(await used()).toBe(2_000);
    await bench.call('POST', `${policy}/cancel`);
    const done = await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
    expect(done.body).toMatchObject({ status: 'cancelled', error: null });
    expect(await used()).toBe(0);
  });

  it('costs nothing when it had not begun to compute [CRD-6]', async () => {
    bench = await startBeforeRows();
    const { policy } = await startSlowTraining();
    expect(await used()).toBe(2_000);
    await bench.stop();
    bench = await startWorkbench(dataDir);
    expect((await bench.call('GET', policy)).body).toMatchObject({
      status: 'failed',
      error:
        'The training was interrupted: the workbench was closed. ' +
        'It had not begun to compute, so its credits were given back.',
    });
    expect(await used()).toBe(0);
  });

  it('ends with its decision type, and frees the slot [STA-12]', async () => {
    bench = await startWorkbench(dataDir);
    const { path, policyId } = await startSlowTraining();
    const pid = workerPid(bench, policyId);
    expect((await bench.call('DELETE', path)).status).toBe(204);
    const other = await createTrainable(bench, loanType, loanExamples(40));
    const { policy_id: next } = (await bench.call('POST', `${other}/train`, { tune_hyperparams: false })).body;
    await pollUntil(
      () => bench.call('GET', `${other}/policies/${next}/progress`),
      ({ body }) => body.status !== 'queued',
    );
    expect(isAlive(pid)).toBe(false);
    expect(bench.deps.store.policies.byId(policyId)).toMatchObject({ status: 'cancelled' });
    expect(artifacts()).toEqual([]);
  });

  it('is tried once more when its process is killed, on the same data [TRN-9]', async () => {
    bench = await startWorkbench(dataDir);
    const path = await createTrainable(bench, { ...loanType, pii_fields: ['purpose'] }, loanExamples(40));
    const started = await bench.call('POST', `${path}/train`);
    expect((await bench.call('PUT', path, { pii_fields: [] })).status).toBe(200);
    process.kill(workerPid(bench, started.body.policy_id), 'SIGKILL');
    const done = await pollUntil(
      () => bench.call('GET', `${path}/policies/${started.body.policy_id}/progress`),
      terminal,
    );
    expect(done.body).toMatchObject({
      status: 'deployed',
      retry_count: 1,
      attempt_number: 2,
      attempts: [
        { status: 'failed', error: 'The training process ended (signal SIGKILL).' },
        { status: 'succeeded', error: null },
      ],
    });
    const detail = await bench.call('GET', `${path}/policies/${started.body.policy_id}`);
    expect(detail.body).toMatchObject({ error: null, last_training_error: expect.stringContaining('SIGKILL') });
    const bundle = readFileSync(join(dataDir, 'artifacts', `${started.body.policy_id}.zip`));
    expect(JSON.stringify(unpackBundle(bundle, sha256).plan)).not.toContain('study');
  });

  it('fails when the second process is killed too [PRG-5]', async () => {
    bench = await startWorkbench(dataDir);
    const { policyId, policy } = await startSlowTraining();
    process.kill(workerPid(bench, policyId), 'SIGKILL');
    await pollUntil(
      () => bench.call('GET', `${policy}/progress`),
      ({ body }) => body.attempts.length === 2,
    );
    process.kill(workerPid(bench, policyId), 'SIGKILL');
    const done = await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
    expect(done.body).toMatchObject({ status: 'failed', error: 'The training process ended (signal SIGKILL).' });
    expect(artifacts()).toEqual([]);
    const left = bench.deps.db.prepare('SELECT count(*) FROM training_snapshots').pluck().get();
    expect(left).toBe(0);
  });

  it('is not taken for dead after a sleep of the machine, and is when no heartbeat follows', async () => {
    const clock = stoppedClock();
    bench = await startWorkbench(dataDir, {}, undefined, clock);
    const { policyId, policy } = await startSlowTraining();
    const progress = () => bench.call('GET', `${policy}/progress`);
    process.kill(workerPid(bench, policyId), 'SIGSTOP');
    clock.move(3_600_000);
    expect((await progress()).body).toMatchObject({ status: 'training', attempt_number: 1 });
    const retried = await passSilently(bench, clock, progress, ({ body }) => body.attempt_number === 2);
    expect(retried.body.attempts[0]).toMatchObject({
      status: 'failed',
      error: 'The training process sent no heartbeat.',
    });
  });

  it('fails, and is not tried again, when it needs more memory than it may have', async () => {
    bench = await startWorkbench(dataDir, { trainingMemoryMb: 100 });
    const { path, policyId, policy } = await startSlowTraining();
    const pid = workerPid(bench, policyId);
    const done = await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
    expect(done.body).toMatchObject({
      status: 'failed',
      error: 'Out of memory: the training needs more than 100 MB. Train on fewer examples or fields.',
      attempts: [{ status: 'failed' }],
    });
    expect(isAlive(pid)).toBe(false);
    expect((await bench.call('POST', `${path}/train`)).status).toBe(202);
  });

  it('is recorded as soon as that is possible when it could not be dispatched', async () => {
    bench = await startWorkbench(dataDir, {
      spawnChild: (name, options) => {
        if (name !== 'worker') return spawnChild(name, options);
        bench.deps.db.exec(`CREATE TEMP TRIGGER refuse BEFORE UPDATE OF status ON policies
          BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
        throw new Error('no more processes');
      },
    });
    const path = await createTrainable(bench, loanType, loanExamples(40));
    const refused = await bench.call('POST', `${path}/train`);
    expect([refused.status, refused.body.error.code]).toEqual([503, 'training_dispatch_failed']);
    const [{ policy_id: policyId }] = refused.body.error.details;
    bench.deps.db.exec('DROP TRIGGER refuse');
    const done = await pollUntil(() => bench.call('GET', `${path}/policies/${policyId}/progress`), terminal);
    expect(done.body).toMatchObject({ status: 'failed', error: 'The training could not be dispatched.' });
    expect((await bench.call('GET', '/credits')).body.used).toBe(0);
  });

  it('is durable and refunded when no process could be made [TRN-3] [CRD-6]', async () => {
    bench = await startWorkbench(dataDir, {
      spawnChild: (name, options) => {
        if (name === 'worker') throw new Error('no more processes');
        return spawnChild(name, options);
      },
    });
    const path = await createTrainable(bench, loanType, loanExamples(40));
    const refused = await bench.call('POST', `${path}/train`);
    expect(refused.status).toBe(503);
    expect(refused.body.error).toMatchObject({ code: 'training_dispatch_failed', details: [{ status: 'failed' }] });
    const [{ policy_id: policyId }] = refused.body.error.details;
    expect((await bench.call('GET', `${path}/policies/${policyId}`)).body.status).toBe('failed');
    expect((await bench.call('GET', '/credits')).body.used).toBe(0);
  });
});

describe('a training that has just finished', () => {
  /** Opens a workbench in which `act` comes between the report of a worker's result and what is done about it. */
  async function openWith(act: () => void): Promise<Workbench> {
    bench = await startWorkbench(dataDir, {
      spawnChild: (name, options) => {
        const child = spawnChild(name, options);
        hearReports(child, (report) => {
          if (report.kind === 'done') act();
        });
        return child;
      },
    });
    return bench;
  }
  const begin = async () => {
    const path = await createTrainable(bench, loanType, loanExamples(40));
    const { policy_id: policyId } = (await bench.call('POST', `${path}/train`, { tune_hyperparams: false })).body;
    return { policyId: policyId as string, policy: `${path}/policies/${policyId}` };
  };

  it('is stored although the program is being closed', async () => {
    const finished = Promise.withResolvers<void>();
    await openWith(finished.resolve);
    const { policy, policyId } = await begin();
    await finished.promise;
    await bench.stop();
    bench = await startWorkbench(dataDir);
    expect((await bench.call('GET', policy)).body).toMatchObject({ status: 'deployed', error: null });
    expect(artifacts()).toEqual([`${policyId}.zip`]);
  });

  it('is cancelled when that is asked before it is stored', async () => {
    const { policies } = (await openWith(() => queueMicrotask(cancel))).deps.store;
    const cancel = () => policies.listInProgress().forEach(({ id }) => void bench.deps.jobs.cancel(id));
    const { policy } = await begin();
    const done = await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
    expect(done.body).toMatchObject({ status: 'cancelled', attempts: [{ status: 'cancelled' }] });
    expect(artifacts()).toEqual([]);
  });

  it('fails, and leaves no file, when its bundle was damaged on the disk', async () => {
    await openWith(() => {
      for (const name of artifacts()) appendFileSync(join(dataDir, 'artifacts', name), 'x');
    });
    const { policy } = await begin();
    const done = await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
    expect(done.body).toMatchObject({
      status: 'failed',
      error: 'The bundle could not be stored: The bundle on the disk is not the one that was trained.',
      attempts: [{ status: 'failed' }],
    });
    expect(artifacts()).toEqual([]);
  });
});

describe('what follows a training', () => {
  let pid: number;

  /** Trains until the policy is deployed; the worker stands still before it completes the report. */
  async function deployHalfReported() {
    bench = await startWorkbench(dataDir, {
      spawnChild: (name, options) => {
        const child = spawnChild(name, options);
        hearReports(child, (report) => {
          if (report.kind === 'done') child.kill('SIGSTOP');
        });
        return child;
      },
    });
    const path = await createTrainable(bench, loanType, loanExamples(40));
    const { policy_id: policyId } = (await bench.call('POST', `${path}/train`, { tune_hyperparams: false })).body;
    pid = workerPid(bench, policyId);
    const policy = `${path}/policies/${policyId}`;
    expect((await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal)).body.status).toBe('deployed');
    const { metrics, verdict } = (await bench.call('GET', policy)).body;
    expect(metrics.follow_up.state).toBe('pending');
    expect(verdict).toContainEqual({ kind: 'report', state: 'warning', sentence: expect.stringMatching(/^Not known/) });
    return { path, policy };
  }
  const readMetrics = async (policy: string) => (await bench.call('GET', policy)).body.metrics;

  /** The policy decides, its report says what is missing, and its process is gone. */
  async function expectEnded(policy: string): Promise<void> {
    await pollUntil(
      async () => isAlive(pid),
      (isLeft) => !isLeft,
    );
    const { body } = await pollUntil(
      () => bench.call('GET', policy),
      (answer) => answer.body.metrics.follow_up.state !== 'pending',
    );
    expect(body).toMatchObject({
      status: 'deployed',
      error: null,
      last_training_error: null,
      metrics: { learning_curve: null, follow_up: { state: 'ended' } },
    });
    expect((await bench.call('GET', `${policy}/progress`)).body).toMatchObject({
      progress_percent: 100,
      attempts: [{ status: 'succeeded', error: null }],
    });
    const { body: decided } = await bench.call('POST', '/decide', { decision_type: 'loan', input: { amount: 60_000 } });
    expect(decided).toMatchObject({ decision: 'decline', policy_version: 'v1' });
  }

  it('leaves the slot free, and gives way to the third training after it; a cancel is too late for it [PFI-2]', async () => {
    const { path, policy } = await deployHalfReported();
    expect((await bench.call('POST', `${policy}/cancel`)).status).toBe(409);
    const train = async () => {
      const started = await bench.call('POST', `${path}/train`, { auto_deploy: false, tune_hyperparams: false });
      expect([started.status, started.body.status]).toEqual([202, 'training']);
      return () => bench.call('GET', `${path}/policies/${started.body.policy_id}/progress`);
    };
    for (let more = 0; more < 2; more += 1) {
      await pollUntil(await train(), terminal);
      expect([isAlive(pid), (await readMetrics(policy)).follow_up.state]).toEqual([true, 'pending']);
    }
    await train();
    await expectEnded(policy);
  });

  it('harms no policy by a kill, nor by the end of the program [PFI-2]', async () => {
    const { policy } = await deployHalfReported();
    process.kill(pid, 'SIGKILL');
    await expectEnded(policy);
    await bench.stop();
    removeDataDir(dataDir);
    const next = await deployHalfReported();
    await bench.stop();
    expect(isAlive(pid)).toBe(false);
    bench = await startWorkbench(dataDir);
    await expectEnded(next.policy);
  });
});

describe('a server that is killed', () => {
  let victim: ChildProcess;

  it('ends the training it had begun as interrupted, keeps what is deployed, and leaves no process [PRG-4]', async () => {
    victim = fork(join(import.meta.dirname, '../tools/interrupted-server.ts'), [dataDir], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const [{ path, first, second, pid }] = await once(victim, 'message');
    victim.kill('SIGKILL');
    await once(victim, 'exit');

    bench = await startWorkbench(dataDir);
    const policies = await bench.call('GET', `${path}/policies`);
    expect(policies.body.map((p: { id: string; status: string }) => [p.id, p.status])).toEqual([
      [second, 'failed'],
      [first, 'deployed'],
    ]);
    expect((await bench.call('GET', `${path}/policies/${second}`)).body.error).toBe(
      'The training was interrupted: the workbench was stopped during it. It had begun to compute, so it stays charged.',
    );
    const usage = (await bench.call('GET', '/credits/usage?operation=training')).body.items;
    expect(usage.filter((item: { reference_id: string }) => item.reference_id === second)).toHaveLength(1);
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(artifacts()).toEqual([`${first}.zip`]);
    const decided = await bench.call('POST', '/decide', {
      decision_type: 'complaint',
      input: { complaint: 'My credit card was charged' },
    });
    expect(decided.body).toMatchObject({ policy_version: 'v1', stage: 'classifier' });
    expect((await bench.call('POST', `${path}/train`)).status).toBe(202);
  });
});

describe('the progress of a training', () => {
  it('is read from memory while it runs, and from the database after a restart [PRG-4]', async () => {
    bench = await startWorkbench(dataDir);
    const { db, store } = bench.deps;
    // Without the notes in the database only the memory can tell how far the training is.
    db.exec(`CREATE TEMP TRIGGER refuse BEFORE UPDATE OF fraction ON training_attempts
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    const { policyId, policy } = await startSlowTraining();
    const progress = () => bench.call('GET', `${policy}/progress`);
    const live = await pollUntil(progress, ({ body }) => body.progress_percent > 0 && body.completed_stages.length > 0);
    expect(live.body.status).toBe('training');
    expect(store.policies.attempts(policyId)).toMatchObject([{ fraction: 0, completedStages: [] }]);

    db.exec('DROP TRIGGER refuse');
    await pollUntil(progress, () => (store.policies.attempts(policyId)[0]?.fraction ?? 0) > 0);
    await bench.stop();
    bench = await startWorkbench(dataDir);
    const [attempt] = bench.deps.store.policies.attempts(policyId);
    expect((await progress()).body).toMatchObject({
      status: 'failed',
      error: 'The training was interrupted: the workbench was closed. It had begun to compute, so it stays charged.',
      stage: attempt?.stage,
      progress_percent: Math.round((attempt?.fraction ?? 0) * 1_000) / 10,
      completed_stages: attempt?.completedStages,
      attempts: [{ status: 'failed' }],
    });
    expect(attempt?.fraction).toBeGreaterThan(0);
  });
});

describe('a deployed policy whose file was damaged', () => {
  it('stays deployed at the start, and the type says that it cannot be used', async () => {
    bench = await startWorkbench(dataDir);
    const path = await createTrainable(bench, loanType, loanExamples(40));
    const { policy_id: policyId } = (await bench.call('POST', `${path}/train`, { tune_hyperparams: false })).body;
    await pollUntil(() => bench.call('GET', `${path}/policies/${policyId}/progress`), terminal);
    await bench.stop();
    appendFileSync(join(dataDir, 'artifacts', `${policyId}.zip`), 'x');

    bench = await startWorkbench(dataDir);
    const type = (await bench.call('GET', path)).body;
    expect(type).toMatchObject({ model_deployed: true, availability: { state: 'unavailable' } });
    expect((await bench.call('POST', '/decide', { decision_type: 'loan', input: { amount: 1 } })).status).toBe(503);
    expect((await bench.call('POST', `${path}/policies/${policyId}/deploy`)).status).toBe(503);
  });
});
