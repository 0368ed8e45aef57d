/** Personal fields leave no trace in anything that is written, and old records are really deleted. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { strFromU8, unzipSync } from 'fflate';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { applyRetention, removeExpiredTypes } from '../../../src/server/services/upkeep/housekeeping.ts';
import { findFilesHolding } from '../../files-holding.ts';
import {
  complaintExamples,
  complaintType,
  createTrainable,
  loanExamples,
  loanType,
  makeDataDir,
  makeDeployedFolder,
  pollUntil,
  removeDataDir,
  startWorkbench,
  train,
  type Workbench,
} from '../workbench.ts';

const dataDir = makeDataDir();
const carol = 'carol.private@mail.example';
const phone = '+44-1632-960961';
const input = { applicant: { score: 700, email: carol }, amount: 2_000, contacts: [{ phone }, { phone: 'none' }] };
const schema = {
  type: 'object',
  properties: { applicant: { type: 'object', properties: { email: { type: 'string', maxLength: 40 } } } },
};

let bench: Workbench;
let path: string;
let serverLog = '';

const filesWith = (text: string) => findFilesHolding(dataDir, text);

beforeAll(async () => {
  const lines = new Writable({
    write(chunk, _encoding, done) {
      serverLog += String(chunk);
      done();
    },
  });
  bench = await startWorkbench(dataDir, {}, pino({ level: 'debug' }, lines));
  const type = { ...loanType, pii_fields: ['applicant.email', 'contacts.phone'], input_schema: schema };
  path = await createTrainable(bench, type, loanExamples(40));
  await train(bench.call, path);
});
afterAll(async () => {
  await bench.stop();
  removeDataDir(dataDir);
});

describe('personal fields', () => {
  it('are not written by deciding, alone or in a batch, explained or refused [TYP-20]', async () => {
    const decide = (given: object, query = '') =>
      bench.call('POST', `/decide${query}`, { decision_type: 'loan', input: given });
    expect((await decide(input)).status).toBe(200);
    expect((await decide(input, '?trace=true')).status).toBe(200);
    const batch = await bench.call('POST', '/decide/batch', [{ decision_type: 'loan', input }]);
    expect(batch.body).toMatchObject({ succeeded: 1, failed: 0 });
    const long = { ...input, applicant: { email: carol.repeat(3) } };
    const refused = await decide(long);
    expect(refused.status).toBe(422);
    expect(JSON.stringify(refused.body)).not.toContain(carol);
    const failed = await bench.call('POST', '/decide/batch', [{ decision_type: 'loan', input: long }]);
    expect(failed.body.failed).toBe(1);
    expect(JSON.stringify(failed.body)).not.toContain(carol);

    for (const secret of [carol, phone]) {
      expect(filesWith(secret)).toEqual([]);
      expect(serverLog).not.toContain(secret);
    }
  });

  it('are the same token wherever they are the same value, in the log and its exports', async () => {
    await bench.call('POST', '/decide', {
      decision_type: 'loan',
      input: { ...input, applicant: { score: 640, email: 'dan@mail.example' } },
    });
    const { items } = (await bench.call('GET', `${path}/logs`)).body;
    const emails = items.map((item: { input: typeof input }) => item.input.applicant.email);
    expect(emails).toHaveLength(4);
    for (const email of emails) expect(email).toMatch(/^pii:[0-9a-f]{24}$/);
    expect(new Set(emails).size).toBe(2);
    expect(items[0].input).toMatchObject({ applicant: { score: 640 }, amount: 2_000 });
    const phones = items[0].input.contacts.map((contact: { phone: string }) => contact.phone);
    expect(new Set(phones).size).toBe(2);
    for (const format of ['json', 'csv']) {
      const { payload } = await bench.app.inject({
        url: `/api/v1${path}/logs/export?format=${format}`,
        headers: { host: '127.0.0.1', authorization: `Bearer ${(await bench.deps.auth.issuer.issue()).token}` },
      });
      expect(payload).toContain(emails[0]);
      for (const secret of [carol, phone]) expect(payload).not.toContain(secret);
    }
    const corrected = await bench.call('PUT', `${path}/logs/${items[1].id}/correction`, { decision: 'decline' });
    expect(corrected.status).toBe(200);
    for (const secret of [carol, phone]) expect(filesWith(secret)).toEqual([]);
  });
});

describe('personal fields that are objects, in lists or named with dots', () => {
  it('leave no value in the log, whatever the path can mean [TYP-20] [TYP-30]', async () => {
    const secrets = ['eve@mail.example', 'Evelyn Example', '1 Example Street'];
    const [mail, name, street] = secrets;
    await bench.call('PUT', path, { pii_fields: ['contacts.0.email', 'person.name', 'person.home.street'] });
    const given = {
      contacts: [{ email: mail }, { email: 'office' }],
      'person.name': name,
      person: { name, home: { street } },
      'person.home': { street },
    };
    await bench.call('POST', '/decide', { decision_type: 'loan', input: { ...input, ...given } });
    await bench.call('PUT', path, { pii_fields: ['applicant.email', 'contacts.phone'] });
    const [{ input: logged }] = (await bench.call('GET', `${path}/logs`)).body.items;
    expect(logged).toMatchObject({ contacts: [{ email: expect.stringMatching(/^pii:/) }, { email: 'office' }] });
    expect(logged.person).toEqual({ name: logged['person.name'], home: logged['person.home'] });
    for (const secret of secrets) expect(filesWith(secret)).toEqual([]);
  });

  it('leave no value in the bundle [TYP-30] [TYP-31]', async () => {
    const examples = Array.from({ length: 90 }, (_, i) => ({
      input: {
        person: {
          city: ['Parisville', 'Romeville'][i % 2],
          street: { name: ['Elmlane', 'Oaklane', 'Ashlane'][i % 3] },
        },
        contacts: [{ town: ['Limaton', 'Cairoton'][i % 2] }],
        'home.country': ['Freedonia', 'Sylvania'][i % 2],
        amount: i < 45 ? 10 + i : 500 + i,
        channel: ['mailbox', 'telephone'][i % 2],
      },
      decision: i < 45 ? 'low' : 'high',
    }));
    const type = { name: 'people', options: ['low', 'high'], pii_fields: ['person', 'contacts.town', 'home.country'] };
    const people = await createTrainable(bench, type, examples);
    await train(bench.call, people);
    const exported = await bench.app.inject({
      url: `/api/v1${people}/export?slim=true`,
      headers: { host: '127.0.0.1', authorization: `Bearer ${(await bench.deps.auth.issuer.issue()).token}` },
    });
    const files = Object.entries(unzipSync(exported.rawPayload)).map(
      ([name, bytes]) => [name, strFromU8(bytes)] as const,
    );
    const namesOf = (word: string) => files.filter(([, text]) => text.includes(word)).map(([name]) => name);
    for (const word of ['ville', 'lane"', 'ton"', 'Freedonia', 'Sylvania'])
      expect([word, namesOf(word)]).toEqual([word, []]);
    const plain = ['features.json', 'golden.jsonl', 'manifest.json', 'model-card.md'];
    expect(namesOf('telephone').toSorted()).toEqual(plain);
  });
});

describe('personal fields that are declared late', () => {
  const canary = 'late.canary@mail.example';
  const late = { ...input, applicant: { score: 700, email: canary } };
  const logRows = 2_300;

  /** A folder of its own with a policy trained, and records written, before the fields were declared. */
  async function openUndeclared() {
    const deployed = await makeDeployedFolder(loanType, loanExamples(40));
    onTestFinished(deployed.remove);
    const { dataDir: folder, policyId: policy } = deployed;
    const own = await startWorkbench(folder);
    const type = deployed.url.replace('/api/v1', '');
    const isBundle = (name: string) => existsSync(join(folder, 'artifacts', name));
    const holding = (text: string) => findFilesHolding(folder, text).filter((name) => !isBundle(name));
    const { authorization } = { authorization: `Bearer ${(await own.deps.auth.issuer.issue()).token}` };
    const fetchRaw = (bench: Workbench, url: string) =>
      bench.app.inject({ url: `/api/v1${type}${url}`, headers: { host: '127.0.0.1', authorization } });
    return { folder, own, type, policy, holding, fetchRaw };
  }

  it('are named by the type, leave in no export, and are wiped from the log on request [TYP-34] [TYP-35] [TYP-36]', {
    timeout: 600_000,
  }, async () => {
    const { folder, own, type, policy, holding, fetchRaw } = await openUndeclared();
    const batch = Array.from({ length: 50 }, () => ({ decision_type: 'loan', input: late }));
    for (let rows = 0; rows < logRows; rows += batch.length) await own.call('POST', '/decide/batch', batch);
    expect((await own.call('GET', type)).body.pii_residue).toBeNull();
    expect(holding(canary)).not.toEqual([]);

    const declared = await own.call('PUT', type, { pii_fields: ['applicant.email'] });
    expect(declared.body.pii_residue).toEqual({ policies: [policy], log_records: logRows, clearing: false });
    await own.call('POST', '/decide', { decision_type: 'loan', input: late });
    expect((await own.call('GET', type)).body.pii_residue.log_records).toBe(logRows);

    const listed = (await own.call('GET', `${type}/logs?page_size=100`)).body.items;
    const tokens = new Set(listed.map((item: { input: typeof late }) => item.input.applicant.email));
    expect([...tokens]).toEqual([expect.stringMatching(/^pii:[0-9a-f]{24}$/)]);
    for (const url of ['/logs/export?format=json', '/logs/export?format=csv']) {
      const { payload } = await fetchRaw(own, url);
      expect([url, payload.includes(canary), payload.includes(String([...tokens][0]))]).toEqual([url, false, true]);
    }
    const heldOut = await fetchRaw(own, `/policies/${policy}/held-out`);
    expect([heldOut.statusCode, heldOut.payload.includes('@example.org')]).toEqual([200, false]);
    const exported = await fetchRaw(own, '/export?slim=true');
    expect(exported.statusCode).toBe(200);
    const files = Object.entries(unzipSync(exported.rawPayload)).filter(([, bytes]) =>
      strFromU8(bytes).includes('@example.org'),
    );
    expect(files.map(([name]) => name)).toEqual([]);
    expect(strFromU8(unzipSync(exported.rawPayload)['golden.jsonl'] ?? new Uint8Array())).toContain('[removed]');

    const cleared = await own.call('POST', `${type}/pii-residue/clear`);
    expect([cleared.status, cleared.body.decision_type.pii_residue.clearing]).toEqual([202, true]);
    expect(cleared.body.next).toMatch(/^Train again/);
    await own.stop();
    expect(holding(canary)).not.toEqual([]);

    const restarted = await startWorkbench(folder);
    onTestFinished(() => restarted.stop());
    await pollUntil(
      () => restarted.call('GET', type),
      ({ body }) => body.pii_residue.log_records === 0,
    );
    await pollUntil(
      async () => holding(canary),
      (files) => files.length === 0,
    );
    const rewritten = (await restarted.call('GET', `${type}/logs?page_size=100&page=20`)).body;
    expect(rewritten.total).toBe(logRows + 1);
    expect(rewritten.items[0].input).toEqual(listed[0].input);
  });

  it('keep a bundle from leaving that learned their values, until a training clears it [TYP-34] [TYP-35]', {
    timeout: 600_000,
  }, async () => {
    const { own, type, policy, fetchRaw } = await openUndeclared();
    onTestFinished(() => own.stop());
    const before = await own.call('POST', '/decide', { decision_type: 'loan', input: late });
    await own.call('PUT', type, { pii_fields: ['purpose'] });
    const refused = await fetchRaw(own, '/export?slim=true');
    expect([refused.statusCode, refused.json().error.code]).toEqual([409, 'conflict']);
    expect(refused.json().error.message).toMatch(
      /values of purpose from before it was declared personal.*Train again\./,
    );
    const after = await own.call('POST', '/decide', { decision_type: 'loan', input: late });
    expect(after.body.class_probabilities).toEqual(before.body.class_probabilities);

    const next = await train(own.call, type);
    expect((await own.call('GET', type)).body.pii_residue.policies).toEqual([policy]);
    const exported = await fetchRaw(own, '/export?slim=true');
    expect(exported.statusCode).toBe(200);
    for (const [name, bytes] of Object.entries(unzipSync(exported.rawPayload))) {
      expect([name, /"(car|home|study)"/.test(strFromU8(bytes))]).toEqual([name, false]);
    }
    expect(next).not.toBe(policy);
  });

  it('keep a bundle from leaving that learned the words of their texts, until a training clears it [TYP-34] [TYP-35]', async () => {
    const type = await createTrainable(bench, { ...complaintType, name: 'late texts' }, complaintExamples(45));
    const policy = await train(bench.call, type);
    const { token } = await bench.deps.auth.issuer.issue();
    const exportBundle = () =>
      bench.app.inject({
        url: `/api/v1${type}/export?slim=true`,
        headers: { host: '127.0.0.1', authorization: `Bearer ${token}` },
      });
    const readPlan = (bytes: Uint8Array) =>
      JSON.parse(strFromU8(unzipSync(bytes)['features.json'] ?? new Uint8Array()));
    expect(readPlan((await exportBundle()).rawPayload).text.ngrams.df.length).toBeGreaterThan(0);

    const declared = await bench.call('PUT', type, { pii_fields: ['complaint'] });
    expect(declared.body.pii_residue.policies).toEqual([policy]);
    const refused = await exportBundle();
    expect([refused.statusCode, refused.json().error.code]).toEqual([409, 'conflict']);
    expect(refused.json().error.message).toMatch(
      /values of complaint from before it was declared personal.*Train again\./,
    );

    await train(bench.call, type);
    const exported = await exportBundle();
    expect(exported.statusCode).toBe(200);
    expect(readPlan(exported.rawPayload).text).toMatchObject({ fields: [['complaint']], ngrams: null });
    for (const [name, bytes] of Object.entries(unzipSync(exported.rawPayload))) {
      expect([name, /mortgage payment|credit card/.test(strFromU8(bytes))]).toEqual([name, false]);
    }
  });
});

describe('records past their retention', () => {
  it('are gone from the disk, not only from the answers [TYP-21]', async () => {
    const marker = 'a-note-that-must-go-away';
    await bench.call('POST', '/decide', { decision_type: 'loan', input: { ...input, note: marker } });
    expect(filesWith(marker).length).toBeGreaterThan(0);
    await bench.call('PUT', path, { retention_days: 1 });
    bench.deps.db.prepare('UPDATE decision_logs SET created_at = created_at - 2 * 86400000').run();
    expect(await applyRetention(bench.deps)).toBe(6);
    expect((await bench.call('GET', `${path}/logs`)).body.total).toBe(0);
    expect(filesWith(marker)).toEqual([]);
  });
});

describe('a decision type that was deleted', () => {
  it('is gone from the disk once nobody can restore it, and takes nothing else with it [TYP-38]', async () => {
    const marker = 'a-note-of-a-deleted-type';
    const others = (await bench.call('GET', `${path}/logs`)).body.total;
    const examples = loanExamples(40).map((example) => {
      const { input: own, decision } = example as { input: object; decision: string };
      return { input: { ...own, note: marker }, decision };
    });
    const type = await createTrainable(bench, { ...loanType, name: 'short lived' }, examples);
    const policyId = await train(bench.call, type);
    await bench.call('POST', '/decide', { decision_type: 'short lived', input: { ...input, note: marker } });
    expect((await bench.call('DELETE', type)).status).toBe(204);
    const deps = { ...bench.deps, artifactsDir: join(dataDir, 'artifacts') };
    expect(await removeExpiredTypes(deps)).toBe(0);
    expect((await bench.call('POST', `${type}/restore`)).status).toBe(200);
    expect((await bench.call('GET', `${type}/logs`)).body.total).toBe(1);

    await bench.call('DELETE', type);
    const credits = bench.deps.db.prepare('SELECT count(*), sum(credits) FROM credit_entries').get();
    bench.deps.db.prepare('UPDATE decision_types SET deleted_at = deleted_at - 2 * 86400001').run();
    expect(filesWith(marker)).not.toEqual([]);
    // A removal that is interrupted is gone on with, and nothing half removed comes back.
    expect(await removeExpiredTypes(deps, () => true)).toBe(0);
    expect((await bench.call('POST', `${type}/restore`)).status).toBe(404);
    expect(await removeExpiredTypes(deps)).toBe(1);
    expect(filesWith(marker)).toEqual([]);
    expect(readdirSync(join(dataDir, 'artifacts')).filter((name) => name.includes(policyId))).toEqual([]);
    expect(bench.deps.db.pragma('foreign_key_check')).toEqual([]);
    expect(bench.deps.db.prepare('SELECT count(*), sum(credits) FROM credit_entries').get()).toEqual(credits);
    expect((await bench.call('GET', `${path}/logs`)).body.total).toBe(others);
    expect(await removeExpiredTypes(deps)).toBe(0);
  });
});
