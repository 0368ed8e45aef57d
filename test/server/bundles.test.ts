/** The deployed policy as a ZIP: what is in it, when there is one, and what a damaged file leads to. */
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, unpackBundle } from '../../src/engine/bundle/bundle.ts';
import { sha256 } from '../../src/server/process/clock.ts';
import {
  createTrainable,
  loanExamples,
  loanType,
  makeDataDir,
  pollUntil,
  removeDataDir,
  startWorkbench,
  terminal,
  type Workbench,
} from './training-workbench.ts';

describe('the bundle of a decision type', () => {
  const dataDir = makeDataDir();
  let bench: Workbench;
  let path: string;
  let policyId: string;

  const train = async () => {
    const started = await bench.call('POST', `${path}/train`, { tune_hyperparams: false });
    policyId = started.body.policy_id;
    const done = await pollUntil(() => bench.call('GET', `${path}/policies/${policyId}/progress`), terminal);
    expect(done.body).toMatchObject({ status: 'deployed', error: null });
  };
  const download = async (query = ''): Promise<{ headers: Record<string, unknown>; bundle: Bundle }> => {
    const { token } = await bench.deps.auth.issuer.issue();
    const answer = await bench.app.inject({
      url: `/api/v1${path}/export${query}`,
      headers: { authorization: `Bearer ${token}`, host: '127.0.0.1' },
    });
    expect(answer.statusCode).toBe(200);
    return { headers: answer.headers, bundle: unpackBundle(answer.rawPayload, sha256) };
  };

  beforeAll(async () => {
    bench = await startWorkbench(dataDir);
    path = await createTrainable(bench, { ...loanType, fallback_option: 'decline' }, loanExamples(40));
  });
  afterAll(async () => {
    await bench.stop();
    removeDataDir(dataDir);
  });

  it('is not there before a policy is deployed: 428 [BUN-2]', async () => {
    const answer = await bench.call('GET', `${path}/export`);
    expect([answer.status, answer.body.error.code]).toEqual([428, 'model_not_deployed']);
  });

  it('has the classifier, the rules, the features and what it is called [BUN-1]', async () => {
    await train();
    const { headers, bundle } = await download();
    expect(headers).toMatchObject({
      'content-type': 'application/zip',
      'content-disposition': 'attachment; filename="loan-v1.zip"',
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
    expect(bundle.classifier.length).toBeGreaterThan(100);
  });

  it('stays as it is; a new one comes of the next policy [BUN-3]', async () => {
    const first = (await download('?slim=true')).bundle;
    expect(first).toEqual(unpackBundle(readFileSync(join(dataDir, 'artifacts', `${policyId}.zip`)), sha256));
    await train();
    const second = (await download('?slim=true')).bundle;
    expect([first.manifest.policy_version, second.manifest.policy_version]).toEqual(['v1', 'v2']);
  });

  it('decides with the settings of today, as the service does, and its golden decisions say so [BUN-5]', async () => {
    const rules = [{ name: 'tiny', condition: 'ctx.amount < 2000', then: 'approve', reason_code: null, priority: 1 }];
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
    expect(bundle.modelCard).toContain('Version 2 of the decision type');
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
    const file = join(dataDir, 'artifacts', `${policyId}.zip`);
    const whole = readFileSync(file);
    appendFileSync(file, 'x');
    const damaged = await bench.call('GET', `${path}/export`);
    expect([damaged.status, damaged.body.error.code]).toEqual([503, 'unavailable']);
    expect(damaged.body.error.message).toContain('Train the decision type again');
    renameSync(file, `${file}.away`);
    const missing = await bench.call('GET', `${path}/export`);
    expect([missing.status, missing.body.error.code]).toEqual([503, 'unavailable']);
    expect(missing.body.error.message).not.toContain(dataDir);
    writeFileSync(file, whole);
    expect((await download()).bundle.manifest.policy_id).toBe(policyId);
  });
});
