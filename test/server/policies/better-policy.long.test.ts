/** A policy first, and a better text model by itself: tuned in the background, offered, taken, or given up. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { negatedRemarks as examples } from '../../engine/training/tune/tuning-request.ts';
import { isAlive } from '../../faults/tools/is-alive.ts';
import { createTrainable, openForAll, pollUntil, terminal, workerPid } from '../workbench.ts';

/** Each tuning takes some 20 s of a core in a process that gives way to all others. */
const timeout = 600_000;

describe('a text model that is tuned once the policy decides', { timeout }, () => {
  const bench = openForAll({ heartbeatTimeoutMs: timeout });
  let path: string;
  let count = 0;

  beforeAll(async () => {});
  beforeEach(async () => {
    count += 1;
    path = await createTrainable(bench, { name: `remarks ${count}`, options: ['praise', 'complaint'] }, examples);
  });

  const read = async (url: string) => (await bench.call('GET', url)).body;
  const readType = () => read(path);
  /** Trains as the program does by default until the policy is there; the worker goes on. */
  async function train() {
    const config = { tune_hyperparams: false, tuning_tokens: 20_000 };
    const { policy_id: id } = (await bench.call('POST', `${path}/train`, config)).body;
    const pid = workerPid(bench, id);
    await pollUntil(() => bench.call('GET', `${path}/policies/${id}/progress`), terminal);
    const policy = `${path}/policies/${id}`;
    return { id, pid, policy };
  }
  const untilTuning = (policy: string) =>
    pollUntil(
      () => read(policy),
      ({ tuning }) => tuning?.startsWith('Tuning the text model'),
    );
  const untilGone = (pid: number) =>
    pollUntil(
      async () => isAlive(pid),
      (isLeft) => !isLeft,
    );
  const listVersions = async () =>
    (await read(`${path}/policies`)).map(({ version, status, follows }: Record<string, unknown>) => ({
      version,
      status,
      follows,
    }));

  it('is offered in words on rows that neither had learned from, and decides when it is taken [BTR-1] [BTR-2]', async () => {
    const { id, policy } = await train();
    expect(await untilTuning(policy)).toMatchObject({ status: 'deployed', metrics: { text_tuning: null } });
    expect((await readType()).better_policy).toBeNull();
    const { better_policy: better } = await pollUntil(readType, (type) => type.better_policy !== null);
    const { body: offered } = await bench.call('GET', `${path}/policies/${better}`);
    expect(offered).toMatchObject({ version: 2, status: 'trained', follows: id, held_back: null, tuning: null });
    const first = await read(policy);
    const { better_than: gain, text_tuning, follow_up, test_size } = offered.metrics;
    expect(gain).toMatchObject({ policy_version: 'v1', rows: test_size + text_tuning.held_rows });
    expect(gain.right).toBeGreaterThan(gain.right_before);
    const countRight = (held: number, folds: number) =>
      Math.round(held * test_size) + Math.round(folds * text_tuning.held_rows);
    expect(gain.right).toBe(countRight(offered.metrics.accuracy, text_tuning.tuned.accuracy));
    expect(gain.right_before).toBe(countRight(first.metrics.accuracy, text_tuning.frozen.accuracy));
    expect(gain.sentence).toContain(`v2 is right on ${gain.right} of ${gain.rows} instead of ${gain.right_before}`);
    expect(text_tuning.chosen).toBe('tuned');
    expect(follow_up).toEqual(first.metrics.follow_up);
    for (const key of ['seed', 'snapshot_sha256', 'training_config']) expect(offered[key]).toEqual(first[key]);
    const decide = async () =>
      (await bench.call('POST', '/decide', { decision_type: `remarks ${count}`, input: examples[0]?.input })).body;
    expect((await decide()).policy_version).toBe('v1');
    expect((await bench.call('POST', `${path}/policies/${better}/deploy`)).status).toBe(200);
    expect((await decide()).policy_version).toBe('v2');
    expect((await readType()).better_policy).toBeNull();
    expect((await read('/credits/usage?operation=training')).summary.total_credits).toBe(2_000 * count);
    // Taken once, it is not offered again after a way back.
    await bench.call('POST', `${policy}/deploy`);
    expect((await readType()).better_policy).toBeNull();
  });

  it('gives way to a new training, a stop and a kill, which leave the policy as it is [BTR-3]', async () => {
    const first = await train();
    await untilTuning(first.policy);
    expect((await bench.call('POST', `${first.policy}/cancel`)).body).toMatchObject({
      status: 'deployed',
      tuning: null,
    });
    await untilGone(first.pid);
    expect((await bench.call('POST', `${first.policy}/cancel`)).status).toBe(409);
    const second = await train();
    await untilTuning(second.policy);
    process.kill(second.pid, 'SIGKILL');
    await untilGone(second.pid);
    const third = await train();
    await untilTuning(third.policy);
    const fourth = await bench.call('POST', `${path}/train`, { tune_encoder: false, tune_hyperparams: false });
    expect(fourth.status).toBe(202);
    await untilGone(third.pid);
    await pollUntil(() => bench.call('GET', `${path}/policies/${fourth.body.policy_id}/progress`), terminal);
    expect(await listVersions()).toEqual([
      { version: 4, status: 'deployed', follows: null },
      { version: 3, status: 'trained', follows: null },
      { version: 2, status: 'trained', follows: null },
      { version: 1, status: 'trained', follows: null },
    ]);
    const { follow_up } = (await read(third.policy)).metrics;
    expect(follow_up.state).toBe('done');
  });

  it('is deployed by itself where the promise of the type holds, and else held back [BTR-4]', async () => {
    const promise = (target_error: number) => bench.call('PUT', `${path}/promise`, { target_error, certainty: 0.5 });
    await promise(0.5);
    const { id } = await train();
    const [taken] = await pollUntil(
      () => read(`${path}/policies`),
      ([{ version, status }]) => version === 2 && status === 'deployed',
    );
    expect(taken).toMatchObject({ follows: id, auto_deployed: true, held_back: null });
    expect((await readType()).better_policy).toBeNull();
    expect((await read(`${path}/promise`)).state).toBe('kept');
    await promise(0.0001);
    const next = await train();
    const { better_policy: better } = await pollUntil(readType, (type) => type.better_policy !== null);
    const offered = await read(`${path}/policies/${better}`);
    expect(offered).toMatchObject({ follows: next.id, status: 'trained' });
    expect(offered.held_back).toContain('is not kept');
    expect((await read(`${path}/policies/${taken.id}`)).status).toBe('deployed');
  });
});
