/**
 * Kills at random moments of every stage, of the worker and of the whole program: each training ends in one terminal
 * state, nothing is left running or lying about, and what is deployed goes on deciding.
 * With TRAINING_KILLS_PER_STAGE every stage has its turn, otherwise one; TRAINING_KILLS_SEED chooses the moments.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trainingStages } from '../../../src/engine/domain/training.ts';
import { createRandom } from '../../../src/engine/random.ts';
import { systemClock } from '../../../src/server/process/clock.ts';
import { spawnChild } from '../../../src/server/process/spawn-child.ts';
import {
  complaintExamples,
  complaintType,
  makeDeployedFolder,
  pollUntil,
  startWorkbench,
  terminal,
  type Workbench,
} from '../../server/workbench.ts';
import { isAlive } from '../tools/is-alive.ts';
import type { KillableOrder, KillableReport } from '../tools/killable-server.ts';
import { hearReports } from '../tools/worker-reports.ts';

const everyStage = process.env['TRAINING_KILLS_PER_STAGE'];
const perStage = Number(everyStage ?? 1);
const random = createRandom(Number(process.env['TRAINING_KILLS_SEED'] ?? 1));
const stages = trainingStages.map(({ stage }) => stage as string);
/** After the training, while the report of the stored policy is completed. */
const afterwards = 'follow_up';
/** The longest wait between the beginning of a stage and the kill. */
const spreadMs = 60;
const limitMs = 600_000 * perStage;

/** Everything that must hold once the killed training is over. */
async function expectOneEnd(bench: Workbench, path: string, policyId: string, workerPids: number[]): Promise<void> {
  const { body: progress } = await bench.call('GET', `${path}/policies/${policyId}/progress`);
  expect(terminal({ body: progress })).toBe(true);
  for (const attempt of progress.attempts) {
    expect(['succeeded', 'failed']).toContain(attempt.status);
    expect(attempt.completed_at).not.toBeNull();
  }
  const succeeded = progress.attempts.filter((attempt: { status: string }) => attempt.status === 'succeeded').length;
  expect(succeeded).toBe(progress.status === 'failed' ? 0 : 1);
  const endMs = performance.now() + 120_000;
  while (workerPids.some(isAlive) && performance.now() < endMs) await wait(20);
  expect(workerPids.filter(isAlive)).toEqual([]);

  const { body: policies } = await bench.call('GET', `${path}/policies`);
  const finished = policies.filter((policy: { status: string }) => ['trained', 'deployed'].includes(policy.status));
  const folder = join(bench.deps.options.dataDir, 'artifacts');
  expect(readdirSync(folder).sort()).toEqual(finished.map((policy: { id: string }) => `${policy.id}.zip`).sort());
  expect(bench.deps.db.prepare('SELECT count(*) FROM training_snapshots').pluck().get()).toBe(0);
  expect(bench.deps.db.pragma('integrity_check', { simple: true })).toBe('ok');

  const deployed = policies.filter((policy: { status: string }) => policy.status === 'deployed');
  expect(deployed).toHaveLength(1);
  const input = { complaint: 'My credit card was charged twice' };
  const decided = await bench.call('POST', '/decide', { decision_type: 'complaint', input });
  expect(decided.body).toMatchObject({ policy_version: `v${deployed[0].version}`, stage: 'classifier' });
}

const openFolder = async () => {
  const { dataDir, url, remove } = await makeDeployedFolder(complaintType, complaintExamples(40), systemClock, {
    text_model: 'english',
  });
  return { dataDir, path: url.slice('/api/v1'.length), remove };
};

const versionInUse = async (bench: Workbench, path: string): Promise<number> =>
  (await bench.call('GET', `${path}/policies`)).body.find((policy: { deployed: boolean }) => policy.deployed).version;

describe('P4: a worker that is killed', () => {
  let folder: Awaited<ReturnType<typeof openFolder>>;
  let bench: Workbench;
  let workerPids: number[] = [];
  /** The stages at which the next workers are to die, in turn. */
  let deaths: string[] = [];

  beforeAll(async () => {
    folder = await openFolder();
    bench = await startWorkbench(folder.dataDir, {
      spawnChild(name, options) {
        const child = spawnChild(name, options);
        if (name !== 'worker') return child;
        if (child.pid !== undefined) workerPids.push(child.pid);
        const stage = deaths.shift();
        const delayMs = random() * spreadMs;
        let doomed = false;
        hearReports(child, (report) => {
          const reached = report.kind === 'progress' ? report.stage : report.kind === 'done' ? afterwards : null;
          if (doomed || reached !== stage) return;
          doomed = true;
          setTimeout(() => child.kill('SIGKILL'), delayMs);
        });
        return child;
      },
    });
  });
  afterAll(async () => {
    await bench.stop();
    folder.remove();
  });

  it.each(everyStage ? [...stages, afterwards] : ['classifier'])('in stage %s', { timeout: limitMs }, async (stage) => {
    const { path } = folder;
    for (let kill = 0; kill < perStage; kill += 1) {
      workerPids = [];
      const again =
        stage !== afterwards && random() < 0.5 ? [stages[Math.floor(random() * stages.length)] ?? stage] : [];
      deaths = [stage, ...again];
      const killed = deaths.length;
      const started = await bench.call('POST', `${path}/train`, { auto_deploy: false, text_model: 'english' });
      expect(started.status).toBe(202);
      const policyId: string = started.body.policy_id;
      const done = await pollUntil(() => bench.call('GET', `${path}/policies/${policyId}/progress`), terminal);
      // a kill may come after the worker has done everything
      expect(['trained', ...(killed === 2 ? ['failed'] : [])]).toContain(done.body.status);
      expect(workerPids.length).toBeLessThanOrEqual(2);
      await expectOneEnd(bench, path, policyId, workerPids);
      expect(await versionInUse(bench, path)).toBe(1);
    }
  });
});

describe('P3, P4: a program that is killed', () => {
  let folder: Awaited<ReturnType<typeof openFolder>>;
  beforeAll(async () => {
    folder = await openFolder();
  });
  afterAll(() => folder.remove());

  /** Runs a server until its training is in `stage` and a little longer, kills it, and tells what it had begun. */
  async function killIn(stage: string, config: object): Promise<{ policyId: string; workerPids: number[] }> {
    const victim: ChildProcess = fork(join(import.meta.dirname, '../tools/killable-server.ts'), [folder.dataDir], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const workerPids = new Set<number>();
    let policyId: string | null = null;
    await new Promise<void>((reached, failed) => {
      let inStage = false;
      victim.once('exit', () => failed(new Error('the server ended by itself')));
      victim.on('message', (report: KillableReport) => {
        if (report.kind === 'ready') victim.send({ path: folder.path, config } satisfies KillableOrder);
        if (report.kind === 'started') policyId = report.policyId;
        if (report.kind === 'stage') {
          workerPids.add(report.workerPid);
          inStage ||= report.stage === stage;
        }
        if (policyId !== null && inStage) reached();
      });
    });
    await wait(random() * spreadMs);
    const ended = once(victim, 'exit');
    victim.kill('SIGKILL');
    // in half of the cases the worker is gone before the next start, else that start has to deal with it
    if (random() < 0.5) for (const pid of workerPids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    await ended;
    if (policyId === null) throw new Error('no training was started');
    return { policyId, workerPids: [...workerPids] };
  }

  const chosen = everyStage ? [...stages, 'store', afterwards] : ['package'];
  it.each(chosen)('in stage %s', { timeout: limitMs }, async (stage) => {
    const { dataDir, path } = folder;
    for (let kill = 0; kill < perStage; kill += 1) {
      const autoDeploy = stage === 'store';
      const { policyId, workerPids } = await killIn(stage, { auto_deploy: autoDeploy, text_model: 'english' });
      const bench = await startWorkbench(dataDir);
      try {
        await expectOneEnd(bench, path, policyId, workerPids);
        const { body } = await bench.call('GET', `${path}/policies/${policyId}`);
        if (body.status === 'failed') expect(body.error).toContain('interrupted');
        else expect(body.status).toBe(autoDeploy ? 'deployed' : 'trained');
      } finally {
        await bench.stop();
      }
    }
  });
});
