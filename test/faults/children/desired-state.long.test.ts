/** A policy that is deployed stays deployed, whatever a start finds missing; while it cannot be used, that is told. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/server/process/clock.ts';
import { completeOptions } from '../../../src/server/start.ts';
import {
  type Call,
  callerOf,
  loanExamples,
  loanType,
  makeDeployedFolder,
  openForTest,
  startWorkbench,
  temporaryFolder,
} from '../../server/workbench.ts';
import { backToSchema32 } from '../tools/storage/earlier-schema.ts';

type DeployedFolder = Awaited<ReturnType<typeof makeDeployedFolder>>;

let loans: DeployedFolder;
let messages: DeployedFolder;

/** Real short messages, so many of each kind that a training finds the sentence encoder worth its time. */
function readMessages(perOption: number): object[] {
  const file = join(import.meta.dirname, '../../fixtures/sms_spam/train.jsonl');
  const rows = readFileSync(file, 'utf8').trim().split('\n');
  const parsed = rows.map((line) => JSON.parse(line) as { decision: string });
  return ['spam', 'not spam'].flatMap((option) =>
    parsed.filter(({ decision }) => decision === option).slice(0, perOption),
  );
}

const messageType = {
  name: 'sms',
  options: ['spam', 'not spam'],
  rules: [{ name: 'friend', condition: 'ctx.sender == "friend"', then: 'not spam', priority: 1 }],
};

beforeAll(async () => {
  loans = await makeDeployedFolder(loanType, loanExamples(40), systemClock);
  messages = await makeDeployedFolder(messageType, readMessages(45), systemClock, { text_model: 'english' });
});
afterAll(() => {
  loans.remove();
  messages.remove();
});

const byClassifier = { amount: 1_000, applicant: { score: 780 } };
const byRule = { amount: 60_000 };
const decideLoan = (call: Call, input: object) => call('POST', '/api/v1/decide', { decision_type: 'loan', input });
const decideMessage = (call: Call, input: object) => call('POST', '/api/v1/decide', { decision_type: 'sms', input });
const available = { state: 'available', reason: null };

describe('a deployed policy whose file is away', () => {
  it('is unavailable, not undeployed; rules decide, and it is back with its file, without a new start [AVL-1] [AVL-2]', async () => {
    const dataDir = loans.copy();
    const artifacts = join(dataDir, 'artifacts');
    renameSync(artifacts, `${artifacts}.away`);
    const { app, call } = await openForTest({ dataDir });

    const refused = await decideLoan(call, byClassifier);
    expect([refused.status, refused.body.error.code]).toEqual([503, 'unavailable']);
    expect(refused.body.error.message).toContain('The file of the policy cannot be read.');
    expect(refused.text).not.toContain(dataDir);
    expect((await decideLoan(call, byRule)).body).toMatchObject({ decision: 'decline', stage: 'rules' });
    const type = (await call('GET', loans.url)).body;
    expect(type).toMatchObject({ model_deployed: true, availability: { state: 'unavailable' } });
    expect(refused.body.error.message).toContain(type.availability.reason);
    expect((await call('GET', '/api/v1/decision-types')).body.items[0].availability).toEqual(type.availability);
    const policy = `${loans.url}/policies/${loans.policyId}`;
    expect((await call('GET', policy)).body.status).toBe('deployed');
    const ready = await callerOf(app, {})('GET', '/ready');
    expect(ready.body).toMatchObject({ status: 'degraded', deployed_models: 1, unavailable_policies: 1 });
    expect((await call('GET', `${loans.url}/export`)).status).toBe(503);

    const file = `${loans.policyId}.zip`;
    mkdirSync(artifacts, { recursive: true });
    renameSync(join(`${artifacts}.away`, file), join(artifacts, file));
    expect((await decideLoan(call, byClassifier)).body).toMatchObject({ decision: 'approve', stage: 'classifier' });
    expect((await call('GET', loans.url)).body.availability).toEqual(available);
    expect((await callerOf(app, {})('GET', '/ready')).body).toMatchObject({ status: 'ready', unavailable_policies: 0 });
    expect((await call('GET', `${loans.url}/logs`)).body.total).toBe(2);
  });

  it('is found again in the background, before anybody asks for a decision [AVL-2]', async () => {
    const dataDir = loans.copy();
    const file = join(dataDir, 'artifacts', `${loans.policyId}.zip`);
    renameSync(file, `${file}.away`);
    const { app, call } = await openForTest({ dataDir });
    const availability = async () => (await call('GET', loans.url)).body.availability.state;
    expect(await availability()).toBe('unavailable');
    renameSync(`${file}.away`, file);
    await expect.poll(availability, { timeout: 600_000 }).toBe('available');
    expect((await callerOf(app, {})('GET', '/ready')).body.status).toBe('ready');
  });

  it('decides after the next start as before, when the file was damaged for one start', async () => {
    const dataDir = loans.copy();
    const file = join(dataDir, 'artifacts', `${loans.policyId}.zip`);
    const whole = `${file}.whole`;
    renameSync(file, whole);
    appendFileSync(file, 'not a bundle');
    const bad = await startWorkbench(dataDir);
    const refused = await bad.call('POST', '/decide', { decision_type: 'loan', input: byClassifier });
    await bad.stop();
    expect(refused.body.error.message).toContain('The file of the policy is damaged.');
    renameSync(whole, file);
    const { call } = await openForTest({ dataDir });
    expect((await decideLoan(call, byClassifier)).body).toMatchObject({ decision: 'approve' });
  });

  it('decides by the rules of its own options after the options of the type were changed', async () => {
    const dataDir = loans.copy();
    const first = await startWorkbench(dataDir);
    await first.call('PUT', loans.url.replace('/api/v1', ''), { options: ['approve', 'decline', 'review'], rules: [] });
    await first.stop();
    const file = join(dataDir, 'artifacts', `${loans.policyId}.zip`);
    renameSync(file, `${file}.away`);
    const { call } = await openForTest({ dataDir });
    const decided = await decideLoan(call, byRule);
    expect(decided.body).toMatchObject({ decision: 'decline', stage: 'rules', policy_version: 'v1' });
    expect(Object.keys(decided.body.class_probabilities)).toEqual(['approve', 'decline']);
  });
});

describe('a text policy whose encoder is away', () => {
  /** The program's resources with every file of the text model as a link that can be taken away. */
  function linkResources(): { resourcesDir: string; encoder: string; target: string } {
    const { resourcesDir: real } = completeOptions({ dataDir: '', port: 0, rendererDir: null });
    const resourcesDir = temporaryFolder();
    const folder = join('models', 'all-MiniLM-L6-v2');
    mkdirSync(join(resourcesDir, folder), { recursive: true });
    for (const name of readdirSync(join(real, folder))) {
      symlinkSync(join(real, folder, name), join(resourcesDir, folder, name));
    }
    const encoder = join(folder, 'encoder.onnx');
    return { resourcesDir, encoder: join(resourcesDir, encoder), target: join(real, encoder) };
  }
  const text = { text: 'URGENT! You have won a free prize, call now to claim 1000 pounds cash' };

  it('is unavailable with the reason; rules decide, and it is back with the encoder, without a new start [AVL-1] [AVL-2]', async () => {
    const { resourcesDir, encoder, target } = linkResources();
    unlinkSync(encoder);
    const { call, app } = await openForTest({ dataDir: messages.copy(), resourcesDir });
    const refused = await decideMessage(call, text);
    expect([refused.status, refused.body.error.code]).toEqual([503, 'unavailable']);
    expect(refused.body.error.message).toContain('text encoder');
    expect(refused.text).not.toContain(resourcesDir);
    expect((await decideMessage(call, { ...text, sender: 'friend' })).body).toMatchObject({ stage: 'rules' });
    expect((await call('GET', messages.url)).body).toMatchObject({
      model_deployed: true,
      availability: { state: 'unavailable' },
    });

    symlinkSync(target, encoder);
    expect((await decideMessage(call, text)).body).toMatchObject({ decision: 'spam' });
    expect((await call('GET', messages.url)).body.availability).toEqual(available);
    await expect.poll(async () => (await callerOf(app, {})('GET', '/ready')).body.status).toBe('ready');
  });

  /** Another encoder: the same model in another file, with an empty field at the end of the graph. */
  function linkOtherEncoder(): string {
    const { resourcesDir, encoder, target } = linkResources();
    unlinkSync(encoder);
    writeFileSync(encoder, Buffer.concat([readFileSync(target), Buffer.from([0x32, 0])]));
    return resourcesDir;
  }

  it('asks for a new training where it was trained with another encoder, and its rules go on deciding [TYP-23]', async () => {
    const resourcesDir = linkOtherEncoder();
    const { call } = await openForTest({ dataDir: messages.copy(), resourcesDir });
    const refused = await decideMessage(call, text);
    expect([refused.status, refused.body.error.code]).toEqual([503, 'unavailable']);
    const { availability, needs_retraining } = (await call('GET', messages.url)).body;
    expect([availability.state, needs_retraining]).toEqual(['unavailable', true]);
    expect(availability.reason).toContain(
      'another text encoder than those installed. Train the type again, or add that text model.',
    );
    expect((await decideMessage(call, { ...text, sender: 'friend' })).body).toMatchObject({ stage: 'rules' });
  });

  it('is named before an upgrade that it would not survive, which goes on only when that is accepted [DAT-5]', async () => {
    const resourcesDir = linkOtherEncoder();
    const dataDir = messages.copy();
    const file = join(dataDir, 'workbench.db');
    const db = new Database(file);
    db.exec(backToSchema32);
    db.close();
    const before = [readFileSync(file), readFileSync(join(dataDir, 'data-folder.json'))];
    await expect(openForTest({ dataDir, resourcesDir })).rejects.toMatchObject({
      kind: 'retraining',
      message: expect.stringMatching(/another text model: "sms"\. Nothing was changed.*start with --accept-retraining/),
    });
    expect([readFileSync(file), readFileSync(join(dataDir, 'data-folder.json'))]).toEqual(before);
    expect(readdirSync(join(dataDir, 'backups'))).toEqual(['schema-32.db']);

    const { call } = await openForTest({ dataDir, resourcesDir, acceptsRetraining: true });
    expect((await call('GET', messages.url)).body.needs_retraining).toBe(true);
  });

  it('says so when the encoder goes while the program runs, and decides again when it is back', async () => {
    const { resourcesDir, encoder, target } = linkResources();
    const { call, deps } = await openForTest({ dataDir: messages.copy(), resourcesDir });
    const { encoderHost } = deps.runtime;
    await encoderHost.start();
    unlinkSync(encoder);
    const pid = encoderHost.pid();
    if (pid === null) throw new Error('the encoder has no process');
    process.kill(pid, 'SIGKILL');
    const refused = await decideMessage(call, text);
    expect([refused.status, refused.body.error.code]).toEqual([503, 'unavailable']);
    expect(refused.body.error.message).toContain('The file of the text encoder cannot be read.');
    expect((await call('GET', messages.url)).body.availability.state).toBe('unavailable');
    expect((await call('GET', `${messages.url}/export`)).body.error.code).toBe('unavailable');

    symlinkSync(target, encoder);
    const decided = async () => (await decideMessage(call, text)).status;
    await expect.poll(decided, { timeout: 600_000 }).toBe(200);
    expect((await call('GET', messages.url)).body.availability).toEqual(available);
  });
});
