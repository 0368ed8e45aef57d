/** What `/ready` says while a part of the service cannot do its work. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { spawnChild } from '../../../src/server/process/spawn-child.ts';
import { callerOf, deployForAll, loanExamples, loanType, openForTest, temporaryFolder } from '../workbench.ts';

const trained = deployForAll(loanType, loanExamples(40));

describe('a service that is not ready', () => {
  it('says so when its database is closed [SYS-3]', async () => {
    const { app, deps } = await openForTest({ dataDir: trained.copy() });
    const ready = () => callerOf(app, {})('GET', '/ready');
    expect((await ready()).body).toEqual({
      status: 'ready',
      data_dir: deps.options.dataDir,
      database: true,
      data_folder: true,
      disk: 'ok',
      integrity: 'ok',
      cache: true,
      models: true,
      deployed_models: 1,
      unavailable_policies: 0,
      connections_without_key: 0,
      text_model: 'idle',
      clock: 'trusted',
      network: 'this machine alone',
    });
    deps.db.close();
    expect((await ready()).body).toEqual({ status: 'degraded', database: false });
  });

  it('answers a balancer of load that asks by HEAD [SYS-3]', async () => {
    const { app } = await openForTest();
    const ask = callerOf(app, {});
    for (const address of ['/health', '/ready']) {
      const [head, get] = [await ask('HEAD', address), await ask('GET', address)];
      expect([head.status, head.text]).toEqual([200, '']);
      expect(head.headers['content-length']).toBe(get.headers['content-length']);
    }
  });

  it('lists a text model that has lost its files, and lets it go [TRN-28]', async () => {
    const dataDir = temporaryFolder();
    mkdirSync(path.join(dataDir, 'text-models/mine'), { recursive: true });
    const { call } = await openForTest({ dataDir });
    const names = async () => (await call('GET', '/api/v1/text-models')).body.map(({ name }: { name: string }) => name);
    expect(await names()).toEqual(['english', 'fast', 'mine']);
    expect((await call('DELETE', '/api/v1/text-models/mine')).status).toBe(204);
    expect(await names()).toEqual(['english', 'fast']);
  });

  it('says so until every deployed policy is compiled [SYS-3]', async () => {
    const { app, deps, call } = await openForTest({ dataDir: trained.copy() });
    const ready = () => callerOf(app, {})('GET', '/ready');
    const started = await call('POST', `${trained.url}/train`, { tune_hyperparams: false, auto_deploy: false });
    const { policy_id: policyId } = started.body;
    const policy = `${trained.url}/policies/${policyId}`;
    await expect.poll(async () => (await call('GET', policy)).body.status, { timeout: 600_000 }).toBe('trained');
    deps.store.deployments.deploy(policyId, false);
    expect((await ready()).body).toMatchObject({ status: 'degraded', cache: false, models: true, deployed_models: 1 });
    expect((await call('POST', '/api/v1/decide', { decision_type: 'loan', input: { amount: 1 } })).status).toBe(200);
    expect((await ready()).body).toMatchObject({ status: 'ready', cache: true });
  });

  it('says so while its text encoder is started again [SYS-3]', async () => {
    let mayStart = true;
    const { app, deps } = await openForTest({
      dataDir: trained.copy(),
      spawnChild(name, options) {
        if (name === 'encoder-child' && !mayStart) throw new Error('no more processes');
        return spawnChild(name, options);
      },
    });
    const ready = async () => (await callerOf(app, {})('GET', '/ready')).body;
    const { encoderHost } = deps.runtime;
    await encoderHost.start();
    expect(await ready()).toMatchObject({ status: 'ready', models: true, text_model: 'ready' });
    mayStart = false;
    const pid = encoderHost.pid();
    if (pid === null) throw new Error('the encoder has no process');
    process.kill(pid, 'SIGKILL');
    await expect
      .poll(ready)
      .toMatchObject({ status: 'degraded', models: false, text_model: 'restarting', cache: true });
    mayStart = true;
    await expect
      .poll(ready, { timeout: 600_000 })
      .toMatchObject({ status: 'ready', models: true, text_model: 'ready' });
  });
});
