/** The deployed policy as a ZIP: what is in it, when there is one, and what a damaged file leads to. */
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { bundleZipLimits } from '../../../src/engine/bundle/manifest.ts';
import { openZip, writeZip } from '../../../src/engine/bundle/zip.ts';
import { formatShare } from '../../../src/engine/numeric.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import {
  createTrainable,
  loanExamples,
  loanType,
  openForAll,
  pollUntil,
  startWorkbench,
  terminal,
} from '../workbench.ts';

/** The same policy as 0.2.0 wrote it, whose golden inputs are examples and do not say so. */
function toEarlier(bytes: Uint8Array): Uint8Array {
  const zip = openZip(bytes, bundleZipLimits);
  const { golden_inputs: _golden, min_reader: _reader, ...settings } = unpackBundle(bytes, sha256).manifest;
  const manifest = new TextEncoder().encode(JSON.stringify(settings));
  const digest = new TextEncoder().encode(`${sha256(manifest)}  manifest.json\n`);
  const changed = new Map([
    ['manifest.json', manifest],
    ['manifest.sha256', digest],
  ]);
  const read = (name: string) => changed.get(name) ?? zip.read(name) ?? new Uint8Array();
  return writeZip(zip.names.map((name) => ({ name, bytes: read(name), stored: false })));
}

describe('the bundle of a decision type', () => {
  const bench = openForAll();
  let path: string;
  let policyId: string;
  /** Of the policy that was replaced by one that learned the same and puts examples into its bundle. */
  let firstId: string;

  const train = async (config: object = {}) => {
    const started = await bench.call('POST', `${path}/train`, { tune_hyperparams: false, ...config });
    policyId = started.body.policy_id;
    const done = await pollUntil(() => bench.call('GET', `${path}/policies/${policyId}/progress`), terminal);
    expect(done.body).toMatchObject({ status: 'deployed', error: null });
  };
  const download = async (query = ''): Promise<{ headers: Record<string, unknown>; bundle: Bundle; bytes: Buffer }> => {
    const { token } = await bench.deps.auth.issuer.issue();
    const answer = await bench.app.inject({
      url: `/api/v1${path}/export${query}`,
      headers: { authorization: `Bearer ${token}`, host: '127.0.0.1' },
    });
    expect(answer.statusCode).toBe(200);
    return { headers: answer.headers, bundle: unpackBundle(answer.rawPayload, sha256), bytes: answer.rawPayload };
  };

  beforeAll(async () => {
    path = await createTrainable(bench, { ...loanType, fallback_option: 'decline' }, loanExamples(40));
  });

  it('is not there before a policy is deployed: 428 [BUN-2]', async () => {
    const answer = await bench.call('GET', `${path}/export`);
    expect([answer.status, answer.body.error.code]).toEqual([428, 'model_not_deployed']);
  });

  it('has the classifier, the rules, the features and what it is called [BUN-1]', async () => {
    await train({ seed: 7 });
    firstId = policyId;
    const { headers, bundle } = await download();
    expect(headers).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': `attachment; filename="loan-v1-${bundle.manifest.revision?.slice(0, 8)}.zip"`,
    });
    expect(bundle.manifest).toMatchObject({
      decision_type: 'loan',
      options: ['approve', 'decline'],
      version: 1,
      policy_version: 'v1',
      policy_id: policyId,
      fallback_option: 'decline',
    });
    expect(bundle.rules.rules.map((rule) => rule.name)).toEqual(['too much']);
    expect(bundle.plan.fields.map((field) => field.path.join('.'))).toContain('applicant.score');
    expect(bundle.classifier?.length).toBeGreaterThan(100);
    const read = [...bundle.plan.fields.map((field) => field.path), ...(bundle.plan.text?.fields ?? [])];
    expect(bundle.manifest.fields?.map((field) => field.path)).toEqual(expect.arrayContaining(read));
    for (const field of bundle.manifest.fields ?? []) {
      expect(bundle.modelCard).toContain(`| ${field.path.join('.').replaceAll('_', '\\_')} | ${field.kind} |`);
    }
  });

  it('stays as it is; a new one comes of the next policy, and the old one by its id [BUN-3] [CMD-1] [CMD-2]', async () => {
    const first = (await download('?slim=true')).bundle;
    expect(first).toEqual(unpackBundle(readFileSync(join(bench.dataDir, 'artifacts', `${policyId}.zip`)), sha256));
    await train({ seed: 7, golden_inputs: 'examples' });
    const second = (await download('?slim=true')).bundle;
    expect([first.manifest.policy_version, second.manifest.policy_version]).toEqual(['v1', 'v2']);
    expect(second.manifest.training?.seed).toBe(7);
    expect((await download(`?slim=true&policy_id=${firstId}`)).bundle).toEqual(first);
    const foreign = await bench.call('GET', `${path}/export?policy_id=${crypto.randomUUID()}`);
    expect(foreign.body.error.code).toBe('not_found');
  });

  it('is not sent again to who has it, and its headers can be asked for alone [CLN-5]', async () => {
    const { headers } = await download('?slim=true');
    const ask = (method: 'GET' | 'HEAD', known?: string) =>
      bench.call(method, `${path}/export?slim=true`, undefined, known === undefined ? {} : { 'if-none-match': known });
    const etag = String(headers['etag']);
    const head = await ask('HEAD');
    expect([head.status, head.text, head.headers['etag']]).toEqual([200, '', etag]);
    expect(head.headers['content-length']).toBe(headers['content-length']);
    for (const [known, status] of [
      [etag, 304],
      [`"other", W/${etag}`, 304],
      ['*', 304],
      ['"other"', 200],
    ] as const) {
      const answer = await ask('GET', known);
      expect([known, answer.status, answer.headers['etag']]).toEqual([known, status, etag]);
      expect(answer.text === '').toBe(status === 304);
    }
  });

  it('has another identity after a change of the fallback, and the old one after its return [BUN-6]', async () => {
    const identify = async () => {
      const { headers, bundle, bytes } = await download();
      const manifest = openZip(bytes, bundleZipLimits).read('manifest.json');
      expect(headers['etag']).toBe(`"${sha256(manifest ?? new Uint8Array())}"`);
      expect(headers['repr-digest']).toBe(`sha-256=:${Buffer.from(sha256(bytes), 'hex').toString('base64')}:`);
      return { name: headers['content-disposition'], etag: headers['etag'], revision: bundle.manifest.revision };
    };
    const before = await identify();
    await bench.call('PUT', path, { fallback_option: 'approve' });
    const changed = await identify();
    for (const part of ['name', 'etag', 'revision'] as const) expect(changed[part]).not.toBe(before[part]);
    await bench.call('PUT', path, { fallback_option: 'decline' });
    expect(await identify()).toEqual(before);
  });

  it('tests itself by inputs that nobody sent, or by examples where that is asked for, and says which [PRV-1]', async () => {
    const sent = loanExamples(40).map((example) => Reflect.get(example, 'input'));
    const countSent = ({ golden }: Bundle) =>
      golden.filter(({ input }) => sent.some((each) => isDeepStrictEqual(each, input))).length;
    const { bundle: madeUp } = await download(`?slim=true&policy_id=${firstId}`);
    expect([madeUp.manifest.golden_inputs, countSent(madeUp)]).toEqual(['synthetic', 0]);
    expect(madeUp.golden).toHaveLength(60);
    const emails = madeUp.golden.map(({ input }) => (input['applicant'] as { email: string }).email);
    for (const email of emails) expect(email).not.toMatch(/@example\.org$/);
    expect(new Set(madeUp.golden.map(({ output }) => output.decision))).toEqual(new Set(['approve', 'decline']));
    expect(madeUp.modelCard).toContain('inputs that nobody sent');
    const { bundle: verbatim } = await download('?slim=true');
    expect([verbatim.manifest.golden_inputs, countSent(verbatim)]).toEqual(['examples', verbatim.golden.length]);
    expect(verbatim.modelCard).toContain('those of some examples as they are');
    expect(verbatim.manifest.revision).toBe(madeUp.manifest.revision);
  });

  it('is exported without its examples where 0.2.0 stored it with some [PRV-1]', async () => {
    const file = join(bench.dataDir, 'artifacts', `${policyId}.zip`);
    const whole = readFileSync(file);
    const restartWith = async (bytes: Uint8Array) => {
      bench.deps.db.prepare('UPDATE policies SET bundle_sha256 = ? WHERE id = ?').run(sha256(bytes), policyId);
      writeFileSync(file, bytes);
      await bench.stop();
      Object.assign(bench, await startWorkbench(bench.dataDir));
    };
    await restartWith(toEarlier(whole));
    const { bundle } = await download('?slim=true');
    expect(bundle.manifest).toMatchObject({ min_reader: '0.3.0', policy_id: policyId, golden_inputs: 'synthetic' });
    expect(bundle.golden.length).toBeGreaterThan(0);
    expect(JSON.stringify(bundle.golden)).not.toContain('@example.org');
    await restartWith(whole);
  });

  it('decides with the settings of today, as the service does, and its golden decisions and figures say so [BUN-5] [BUN-7] [PRM-8]', async () => {
    const condition = 'ctx.amount < 2000 && !has(ctx.applicant.banned)';
    const rules = [{ name: 'tiny', condition, then: 'approve', reason_code: null, priority: 1 }];
    await bench.call('PUT', path, {
      hard_rules: rules,
      confidence_thresholds: { auto_decide: 1, escalation: 1 },
      reason_codes: ['TOO_MUCH'],
    });
    const { bundle } = await download();
    expect(bundle.rules.rules.map((rule) => rule.name)).toEqual(['tiny']);
    expect(bundle.manifest).toMatchObject({
      version: 2,
      policy_version: 'v2',
      confidence_thresholds: { auto_decide: 1, escalation: 1 },
      reason_codes: ['TOO_MUCH'],
    });
    expect(bundle.reasons.by_option).toEqual({ approve: [], decline: [] });
    const banned = bundle.manifest.fields?.find((field) => field.path.join('.') === 'applicant.banned');
    expect(banned).toMatchObject({ kind: 'any', required: false, missing: null });
    expect(bundle.manifest.fields?.find((field) => field.path[0] === 'amount')?.range).toHaveLength(2);
    // Trained on one version, exported with the settings of another, whose figures the card has.
    const { version, snapshot_sha256, seed } = bundle.manifest.training ?? {};
    const policy = (await bench.call('GET', `${path}/policies/${policyId}`)).body;
    expect({ version, snapshot_sha256, seed }).toEqual({
      version: policy.decision_type_version,
      snapshot_sha256: policy.snapshot_sha256,
      seed: policy.seed,
    });
    const whole = (await bench.call('GET', `${path}/policies/${policyId}/whole-decision`)).body;
    for (const part of [
      'on version 1 of the decision type',
      'Rules, thresholds and the other settings in it are those of version 2.',
      `The SHA-256 of its examples is ${policy.snapshot_sha256}, its seed ${policy.seed}.`,
      'The classifier decides alone from a confidence of 1.',
      whole.sentence,
      `${formatShare(whole.escalated.share)} of decisions are expected to escalate`,
    ]) {
      expect(bundle.modelCard).toContain(part);
    }
    const stages = new Set<string>();
    for (const { input, output } of bundle.golden) {
      const answer = (await bench.call('POST', '/decide', { decision_type: 'loan', input })).body;
      const { decision, stage, fallback_used, escalate, reason_codes, rules_triggered } = answer;
      expect(output).toMatchObject({ decision, stage, fallback_used, escalate, reason_codes, rules_triggered });
      stages.add(stage);
    }
    expect(stages).toEqual(new Set(['rules', 'fallback']));
    await bench.call('PUT', path, { options: ['approve', 'decline', 'review'] });
    expect((await download()).bundle.manifest).toMatchObject({ version: 1, options: ['approve', 'decline'] });
  });

  it('is a 503 with the remedy while its file is damaged or missing, and comes back with it [BUN-4]', async () => {
    const file = join(bench.dataDir, 'artifacts', `${policyId}.zip`);
    const whole = readFileSync(file);
    appendFileSync(file, 'x');
    const damaged = await bench.call('GET', `${path}/export`);
    expect([damaged.status, damaged.body.error.code]).toEqual([503, 'unavailable']);
    expect(damaged.body.error.message).toContain('Train the decision type again');
    renameSync(file, `${file}.away`);
    const missing = await bench.call('GET', `${path}/export`);
    expect([missing.status, missing.body.error.code]).toEqual([503, 'unavailable']);
    expect(missing.body.error.message).not.toContain(bench.dataDir);
    writeFileSync(file, whole);
    expect((await download()).bundle.manifest.policy_id).toBe(policyId);
  });
});
