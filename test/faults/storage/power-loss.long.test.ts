/**
 * The power fails at random moments of a recorded load: what was synced is there, what was written since is there in
 * part. Every image must open soundly with all that was acknowledged until then, and the program must start on it.
 * POWER_LOSS_IMAGES sets their number; the program is started on every tenth.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import { deployForAll, loanExamples, loanType, pollUntil, temporaryFolder, terminal } from '../../server/workbench.ts';
import { type Acknowledged, expectAcknowledged, nothingAcknowledged, storeEverything } from '../tools/acknowledged.ts';
import { callAlone, startServerProcess } from '../tools/server-process.ts';
import { cutPower, type Files, readFiles, writeFiles } from '../tools/storage/power-loss.ts';
import { compileStorageCalls, controlStorage, type StorageCall } from '../tools/storage/storage-calls.ts';

const count = Number(process.env['POWER_LOSS_IMAGES'] ?? 20);
const random = createRandom(Number(process.env['POWER_LOSS_SEED'] ?? 1));
const compiled = compileStorageCalls();
/** The share of the sectors written since the last sync that had reached the disk. */
const shares = [0, 1, 0.5, 0.1, 0.9];

type Recording = {
  dataDir: string;
  start: Files;
  calls: (StorageCall & { endsAt: number })[];
  acknowledged: Acknowledged;
  /** When the second training was known to have ended. */
  trainedAt: number;
  policyId: string;
};

const folder = deployForAll(loanType, loanExamples(40));

/** Records a load, with a training in it where `trains`, until the program is killed. */
async function recordLoad(library: string, trains: boolean, env: Record<string, string> = {}): Promise<Recording> {
  const dataDir = folder.copy();
  const start = readFiles(dataDir);
  const control = controlStorage(library, dataDir);
  const acknowledged = nothingAcknowledged();
  const { port, end } = await startServerProcess(dataDir, { env: { ...control.env, ...env } });
  const caller = { port, key: folder.key, url: folder.url, acknowledged, now: control.measureTrace };
  const call = (method: string, url: string, body?: object) =>
    callAlone(port, method, url, `Bearer ${folder.key}`, body);
  const storeFor = async (from: number, to: number) => {
    for (let round = from; round < to; round += 1) await storeEverything(caller, round);
  };
  await storeFor(0, 10);
  let { policyId } = folder;
  if (trains) policyId = (await call('POST', `${folder.url}/train`, { tune_hyperparams: false })).body.policy_id;
  await storeFor(10, 20);
  if (trains) await pollUntil(() => call('GET', `${folder.url}/policies/${policyId}/progress`), terminal);
  const trainedAt = control.measureTrace();
  await storeFor(20, 25);
  await end('SIGKILL');
  return { dataDir, start, calls: control.readTrace(), acknowledged, trainedAt, policyId };
}

/** Expects that every policy that is ready has its whole file, and at most one is deployed. */
function expectWholePolicies(image: string): Map<string, string> {
  const db = new Database(path.join(image, 'workbench.db'));
  const rows = db
    .prepare<[], { id: string; status: string; bundle_sha256: string }>(
      `SELECT id, status, bundle_sha256 FROM policies WHERE status IN ('trained', 'deployed')`,
    )
    .all();
  db.close();
  for (const { id, bundle_sha256: digest } of rows) {
    const bytes = readFileSync(path.join(image, 'artifacts', `${id}.zip`));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(digest);
  }
  expect(rows.filter(({ status }) => status === 'deployed')).toHaveLength(1);
  return new Map(rows.map(({ id, status }) => [id, status]));
}

const title = 'library' in compiled ? '' : ` (left out: ${compiled.problem})`;
describe.skipIf(!('library' in compiled))(`a power cut${title}`, () => {
  const library = 'library' in compiled ? compiled.library : '';

  it(`P1, P2, P3, P5, P6: at any moment leaves what was acknowledged (${count} images)`, async () => {
    const recording = await recordLoad(library, true);
    const { dataDir, start, calls, acknowledged, trainedAt, policyId } = recording;
    expect(acknowledged.decisions.size).toBe(100);
    expect(readdirSync(path.join(dataDir, 'artifacts'))).toContain(`${policyId}.zip`);
    for (let n = 0; n < count; n += 1) {
      // Every fifth cut comes right after the last answer.
      const last = n % 5 === 4 ? calls.length : 1 + Math.floor(random() * calls.length);
      const moment = calls[last - 1]?.endsAt ?? 0;
      const image = temporaryFolder();
      const files = cutPower(start, calls.slice(0, last), shares[n % shares.length] ?? 0, random);
      writeFiles(files, dataDir, image);
      expectAcknowledged(image, acknowledged, moment);
      const policies = expectWholePolicies(image);
      if (moment >= trainedAt) expect(policies.get(policyId)).toBe('deployed');
      if (n % 10 === 9) await expectServing(image);
      rmSync(image, { recursive: true, force: true });
    }
  }, 7_200_000);

  it('would lose decisions if a commit did not wait for the disk', async () => {
    const recording = await recordLoad(library, false, { WORKBENCH_SYNCHRONOUS: 'NORMAL' });
    const image = temporaryFolder();
    writeFiles(cutPower(recording.start, recording.calls, 0, random), recording.dataDir, image);
    expect(() => expectAcknowledged(image, recording.acknowledged)).toThrow();
  });
});

async function expectServing(image: string): Promise<void> {
  // The kind of folder, which a new one gets when the program makes it.
  if (!existsSync(path.join(image, 'secrets'))) mkdirSync(path.join(image, 'secrets'), { mode: 0o700 });
  const server = await startServerProcess(image);
  const decided = await callAlone(server.port, 'POST', '/api/v1/decide', `Bearer ${folder.key}`, {
    decision_type: 'loan',
    input: { applicant: { score: 700 }, amount: 2_000 },
  });
  expect(decided.status).toBe(200);
  expect((await callAlone(server.port, 'GET', '/ready', '')).status).toBe(200);
  await server.end('SIGKILL');
}
