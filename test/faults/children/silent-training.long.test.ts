/** A training whose process is silent for longer than it may be. */
import { ChildProcess } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

let dataDir: string;
let bench: Workbench;

beforeEach(() => {
  dataDir = makeDataDir();
});
afterEach(async () => {
  await bench.stop();
  removeDataDir(dataDir);
});

describe('a training that is silent', () => {
  it('is stopped when its process sends no heartbeat, holds the slot until that has ended, and is tried again [STA-8] [CRD-6]', async () => {
    const held: (() => boolean)[] = [];
    let holdsKills = true;
    const clock = stoppedClock();
    const holdKills: typeof spawnChild = (name, options) => {
      const child = spawnChild(name, options);
      const kill = () => ChildProcess.prototype.kill.call(child, 'SIGKILL');
      // a process that does not end at once, as one that waits for a disk
      return name === 'worker'
        ? Object.assign(child, { kill: () => (holdsKills ? held.push(kill) > 0 : kill()) })
        : child;
    };
    bench = await startWorkbench(dataDir, { spawnChild: holdKills }, undefined, clock);
    const path = await createTrainable(bench, loanType, loanExamples(40));
    const { policy_id: policyId } = (await bench.call('POST', `${path}/train`)).body;
    const policy = `${path}/policies/${policyId}`;
    const pid = workerPid(bench, policyId);
    process.kill(pid, 'SIGSTOP');
    const progress = () => bench.call('GET', `${policy}/progress`);
    const stopping = await passSilently(bench, clock, progress, ({ body }) => body.status !== 'training');
    expect(stopping.body).toMatchObject({ status: 'stopping', attempts: [{ completed_at: null }] });
    expect((await bench.call('GET', policy)).body).toMatchObject({ status: 'stopping', deployed: false });
    const other = await createTrainable(bench, complaintType, complaintExamples(40));
    for (const type of [path, other]) {
      const { status, body } = await bench.call('POST', `${type}/train`);
      expect([status, body.status, isAlive(pid)]).toEqual([202, 'queued', true]);
      await bench.call('POST', `${type}/policies/${body.policy_id}/cancel`);
    }
    expect((await bench.call('POST', `${policy}/deploy`)).status).toBe(409);
    holdsKills = false;
    for (const kill of held) kill();
    const done = await pollUntil(progress, terminal);
    expect(done.body).toMatchObject({
      status: 'deployed',
      retry_count: 1,
      attempts: [
        { status: 'failed', error: 'The training process sent no heartbeat.' },
        { status: 'succeeded', error: null },
      ],
    });
    expect(isAlive(pid)).toBe(false);
    // two attempts of one policy are one training
    const usage = (await bench.call('GET', '/credits/usage?operation=training')).body;
    expect(usage.summary.total_credits).toBe(2_000);
  });

  it('stays ended when a note of its silence could only be written afterwards', async () => {
    const clock = stoppedClock();
    bench = await startWorkbench(dataDir, {}, undefined, clock);
    const path = await createTrainable(bench, loanType, loanExamples(40));
    const { db, jobs } = bench.deps;
    db.exec(`CREATE TEMP TRIGGER refuse BEFORE UPDATE OF status ON policies WHEN NEW.status = 'stopping'
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    const { policy_id: policyId } = (await bench.call('POST', `${path}/train`)).body;
    process.kill(workerPid(bench, policyId), 'SIGSTOP');
    const progress = () => bench.call('GET', `${path}/policies/${policyId}/progress`);
    await passSilently(bench, clock, progress, ({ body }) => body.attempt_number === 2);
    const done = await pollUntil(progress, terminal);
    expect(done.body).toMatchObject({ status: 'deployed', retry_count: 1 });
    db.exec('DROP TRIGGER refuse');
    jobs.checkHeartbeats();
    expect((await progress()).body).toMatchObject({
      status: 'deployed',
      attempts: [{ status: 'failed' }, { status: 'succeeded' }],
    });
  });
});
