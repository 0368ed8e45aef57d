/** A disk that is full, and has space again: a small file system of its own, which only an administrator may mount. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createIssuer } from '../../../src/server/auth/issuer.ts';
import { systemClock } from '../../../src/server/process/clock.ts';
import { deployForAll, loanExamples, loanType, temporaryFolder } from '../../server/workbench.ts';
import { expectAcknowledged, nothingAcknowledged } from '../tools/acknowledged.ts';
import { callAlone, startServerProcess } from '../tools/server-process.ts';

const diskMb = 24;

function mount(folder: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m`, 'tmpfs', folder]).status === 0;
}
const unmount = (folder: string) => spawnSync('umount', ['-l', folder]).status === 0;

const probe = mkdtempSync(path.join(tmpdir(), 'workbench-'));
const canMount = process.platform === 'linux' && mount(probe) && unmount(probe);
rmSync(probe, { recursive: true, force: true });

const trained = deployForAll(loanType, loanExamples(40));

describe.skipIf(!canMount)(`a full disk${canMount ? '' : ' (left out: nothing may be mounted here)'}`, () => {
  it('P1, P2, P8: refuses what cannot be kept, and goes on as soon as there is space, without a restart', async () => {
    const disk = temporaryFolder();
    expect(mount(disk)).toBe(true);
    onTestFinished(() => void unmount(disk));
    const dataDir = path.join(disk, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    cpSync(trained.dataDir, dataDir, { recursive: true });
    const acknowledged = nothingAcknowledged();
    const server = await startServerProcess(dataDir);
    const { token } = await createIssuer({ dataDir, oidc: null }, systemClock).issue();
    onTestFinished(() => server.end('SIGKILL').then(() => undefined));
    const call = (method: string, url: string, body?: object) =>
      callAlone(server.port, method, url, `Bearer ${trained.key}`, body);
    const decide = async () => {
      const input = { amount: 60_000, note: 'x'.repeat(100_000) };
      const answer = await call('POST', '/api/v1/decide', { decision_type: 'loan', input });
      if (answer.status === 200) acknowledged.decisions.set(answer.body.request_id, 0);
      return answer;
    };
    expect((await decide()).status).toBe(200);
    const ready = async () => (await call('GET', '/ready')).body;
    expect(await ready()).toMatchObject({ status: 'ready', disk: 'ok' });
    const ballast = path.join(disk, 'ballast');
    for (let mb = diskMb; mb > 0; mb -= 1) {
      // What is left of the disk is filled in smaller and smaller pieces.
      spawnSync('sh', ['-c', `head -c ${mb}M /dev/zero >> ${ballast}`]);
    }
    let refused = 0;
    for (let n = 0; n < 50 && refused < 5; n += 1) {
      const { status, body } = await decide();
      if (status !== 200) {
        expect([status, body.error.code]).toEqual([503, 'unavailable']);
        refused += 1;
      }
    }
    expect(refused).toBe(5);
    expect((await call('GET', '/health')).status).toBe(200);
    expect((await call('GET', `${trained.url}/logs`)).status).toBe(200);
    const added = await call('POST', `${trained.url}/examples`, {
      examples: Array.from({ length: 200 }, (_, n) => ({ input: { note: `${n}`.repeat(2_000) }, decision: 'approve' })),
    });
    expect(added.status).toBe(503);
    const model = { name: 'teacher', url: 'http://127.0.0.1:11434/v1', model: 'm', api_key: 'k'.repeat(400) };
    const secrets = readdirSync(path.join(dataDir, 'secrets')).sort();
    const connect = () => callAlone(server.port, 'POST', '/api/v1/connections', `Bearer ${token}`, model);
    const refusedModel = await connect();
    expect([refusedModel.status, refusedModel.body.error]).toEqual([
      503,
      { code: 'unavailable', message: 'The disk is full; nothing was changed.' },
    ]);
    expect(readdirSync(path.join(dataDir, 'secrets')).sort()).toEqual(secrets);
    const writes: [method: string, path: string, body?: object][] = [
      ['POST', '/api/v1/decision-types', { name: 'other', options: ['yes', 'no'] }],
      ['PUT', trained.url, { description: 'Loans of the branch.' }],
      ['POST', `${trained.url}/train`],
      ['POST', '/api/v1/api-keys', { name: 'till' }],
      ['POST', '/api/v1/backups', {}],
    ];
    for (const [method, url, body] of writes) {
      const { status, body: refusal } = await callAlone(server.port, method, url, `Bearer ${token}`, body);
      expect([url, status, refusal.error]).toEqual([url, 503, expect.objectContaining({ code: 'unavailable' })]);
    }
    expect(await ready()).toMatchObject({ status: 'degraded', disk: 'full' });
    rmSync(ballast);
    expect(await ready()).toMatchObject({ status: 'ready', disk: 'ok' });
    expect((await connect()).status).toBe(201);
    expect((await decide()).status).toBe(200);
    await server.end('SIGKILL');
    expectAcknowledged(dataDir, acknowledged);
  });
});

describe.skipIf(!canMount)(
  `a disk that is read only${canMount ? '' : ' (left out: nothing may be mounted here)'}`,
  () => {
    it('is not taken for damage when the data on it are verified [DAT-8]', () => {
      const disk = temporaryFolder();
      expect(mount(disk)).toBe(true);
      onTestFinished(() => void unmount(disk));
      cpSync(trained.dataDir, disk, { recursive: true });
      expect(spawnSync('mount', ['-o', 'remount,ro', disk]).status).toBe(0);
      const entry = path.join(import.meta.dirname, '../../../src/server/serve.ts');
      const { status, stderr } = spawnSync(process.execPath, [entry, 'verify', '--data-dir', disk], {
        encoding: 'utf8',
      });
      const database = path.join(disk, 'workbench.db');
      const sentence = `The database ${database} can only be read where files can be made beside it. Check a copy of its folder.`;
      expect([status, stderr]).toEqual([1, `${sentence}\n`]);
    });
  },
);
