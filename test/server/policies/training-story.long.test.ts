/** From labelled examples to decisions: train, watch, deploy, decide, retrain. */
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createTrainable,
  loanExamples,
  loanType,
  openForAll,
  pollUntil,
  startWorkbench,
  terminal,
  train,
} from '../workbench.ts';

const applicant = (score: number) => ({
  applicant: { score, email: 'someone@example.org' },
  amount: 2_000,
  purpose: 'car',
  employed: true,
});

describe('a decision type that is trained and used', () => {
  const bench = openForAll();
  let path: string;
  let policyId: string;

  beforeAll(async () => {
    const created = await bench.call('POST', '/decision-types', { ...loanType, pii_fields: ['applicant.email'] });
    expect(created.status).toBe(201);
    path = `/decision-types/${created.body.id}`;
  });

  const decide = (input: object, query = '') => bench.call('POST', `/decide${query}`, { decision_type: 'loan', input });

  it('answers 428 before anything is deployed, even where a rule would match [DEC-5]', async () => {
    const answer = await decide({ amount: 60_000 });
    expect([answer.status, answer.body.error.code]).toEqual([428, 'model_not_deployed']);
  });

  it('says what is missing for a training and refuses to start one [TRN-4] [RDY-2]', async () => {
    const readiness = await bench.call('GET', `${path}/training-readiness`);
    expect(readiness.body).toMatchObject({ ready: false, min_total: 38, min_per_option: 38, labelled_examples: 0 });
    const missing = /^38 more labels and you can train, among them 2 of "\w+" and 2 of "\w+"\.$/;
    expect([readiness.body.issues, readiness.body.missing_labels]).toEqual([[expect.stringMatching(missing)], 38]);
    const refused = await bench.call('POST', `${path}/train`);
    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toHaveLength(1);
  });

  it('trains in the background and deploys by itself [STA-1] [TYP-5]', async () => {
    const added = await bench.call('POST', `${path}/examples`, { examples: loanExamples(50) });
    expect(added.status).toBe(201);
    expect((await bench.call('GET', `${path}/training-readiness`)).body.ready).toBe(true);

    const started = await bench.call('POST', `${path}/train`, { tune_hyperparams: false });
    expect(started.status).toBe(202);
    expect(started.body).toMatchObject({ status: 'training', version: 1, deployed: false });
    policyId = started.body.policy_id;

    const percents: number[] = [];
    const estimates: (string | null)[] = [];
    const progress = await pollUntil(async () => {
      const answer = await bench.call('GET', `${path}/policies/${policyId}/progress`);
      percents.push(answer.body.progress_percent);
      estimates.push(answer.body.estimated_completion_at, answer.body.duration_hint);
      return answer;
    }, terminal);
    expect(progress.body).toMatchObject({ status: 'deployed', error: null, progress_percent: 100, retry_count: 0 });
    expect(progress.body.completed_stages).toHaveLength(7);
    expect(progress.body.attempts).toHaveLength(1);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect(estimates).not.toContain(null);

    const detail = await bench.call('GET', `${path}/policies/${policyId}`);
    expect(detail.body).toMatchObject({ deployed: true, auto_deployed: true, quality_gate_met: true });
    expect(detail.body.metrics.accuracy).toBeGreaterThan(0.9);
    expect((await bench.call('GET', path)).body).toMatchObject({ model_deployed: true, needs_retraining: false });
    const kept = bench.deps.db.prepare('SELECT count(*) FROM held_out_predictions').pluck().get();
    expect(kept).toBe(detail.body.metrics.test_size);
  });

  it('completes the report of the deployed policy afterwards, and says so until then [PFI-1]', async () => {
    const readMetrics = async () => (await bench.call('GET', `${path}/policies/${policyId}`)).body.metrics;
    const metrics = await pollUntil(readMetrics, ({ follow_up }) => follow_up.state !== 'pending');
    expect(metrics.follow_up).toEqual({
      state: 'done',
      sentence: expect.stringContaining('of 100 labels'),
      expected_wrong: expect.any(Number),
    });
    expect(metrics.learning_curve.points).toHaveLength(4);
    const checked = bench.deps.db.prepare('SELECT count(*) FROM label_checks WHERE search_id = ?').pluck();
    expect(checked.get(policyId)).toBe(100);
  });

  it('completes the report of a policy while the next one of its type trains [PFI-1]', async () => {
    const url = await createTrainable(bench, { ...loanType, name: 'loan with a long report' }, loanExamples(200));
    const start = async () => {
      const { policy_id } = (await bench.call('POST', `${url}/train`, { tune_hyperparams: false })).body;
      return `${url}/policies/${policy_id}`;
    };
    const first = await start();
    await pollUntil(() => bench.call('GET', `${first}/progress`), terminal);
    const second = await start();
    const readState = async () => (await bench.call('GET', first)).body.metrics.follow_up.state;
    expect(await pollUntil(readState, (state) => state !== 'pending')).toBe('done');
    await pollUntil(() => bench.call('GET', `${second}/progress`), terminal);
  });

  it('measures and learns from every example, and keeps their digest and its circumstances [TRN-14]', async () => {
    const { metrics } = (await bench.call('GET', `${path}/policies/${policyId}`)).body;
    expect(metrics.train_size + metrics.test_size).toBe(100);
    const kept = bench.deps.store.policies.byId(policyId);
    expect(kept).toMatchObject({ snapshotSize: 100, snapshotSha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(kept?.seed).toBe(Number.parseInt(kept?.snapshotSha256.slice(0, 8) ?? '', 16) >>> 1);
    expect(kept?.toolVersions).toEqual({
      tool: bench.deps.toolVersion,
      node: process.version,
      runtime: expect.stringMatching(/^onnxruntime \d+\.\d+\.\d+/),
    });
    expect(kept?.trainingConfig).toMatchObject({ tune_hyperparams: false, refit: true });
  });

  it('gives the same figures for the same rows under other ids and in another order [TRN-10]', async () => {
    const copy = await createTrainable(bench, { ...loanType, name: 'loan again' }, loanExamples(50).reverse());
    const again = await train(bench.call, copy);
    const { accuracy, log_loss } = (await bench.call('GET', `${path}/policies/${policyId}`)).body.metrics;
    const { metrics } = (await bench.call('GET', `${copy}/policies/${again}`)).body;
    expect(metrics).toMatchObject({ accuracy, log_loss });
  });

  it('decides by rule and by classifier [SVC-1] [SVC-4] [RUL-7] [DEC-2] [DEC-10]', async () => {
    const byRule = await decide({ ...applicant(700), amount: 60_000 });
    expect(byRule.status).toBe(200);
    expect(byRule.body).toMatchObject({
      decision: 'decline',
      stage: 'rules',
      confidence: 1,
      rules_triggered: ['too much'],
      reason_codes: ['TOO_MUCH'],
      policy_version: 'v1',
    });
    const good = await decide(applicant(790));
    expect(good.body).toMatchObject({ decision: 'approve', stage: 'classifier', escalate: false });
    expect((await decide({ ...applicant(430), employed: false })).body.decision).toBe('decline');
    const { trace } = (await decide(applicant(790), '?trace=true')).body;
    expect(trace.rules).toMatchObject([{ name: 'too much', outcome: 'not_matched' }]);
    expect(trace.features.length).toBeGreaterThan(0);
    const alias = await bench.call('POST', '/decide', { type: 'loan', input: applicant(790) });
    expect(alias.body.decision).toBe('approve');
  });

  it('records each answer once, without personal data [TYP-20]', async () => {
    const { body } = await bench.call('GET', `${path}/logs`);
    const credits = await bench.call('GET', '/credits/usage?operation=decision');
    expect(body.total).toBe(5);
    expect(credits.body.total).toBe(5);
    expect(JSON.stringify(body)).not.toContain('someone@example.org');
    const tokens = new Set(
      body.items.map((item: { input: { applicant: { email: string } } }) => item.input.applicant.email),
    );
    expect(tokens.size).toBe(1);
  });

  it('answers a batch item by item [BAT-1] [BAT-2] [BAT-3] [BAT-4] [BAT-5] [BAT-8]', async () => {
    const { status, body } = await bench.call('POST', '/decide/batch', [
      { decision_type: 'loan', input: applicant(790) },
      { decision_type: 'nothing', input: {} },
      { decision_type: 'loan' },
      { decision_type_name: 'loan', input: { amount: 60_000 } },
    ]);
    expect(status).toBe(200);
    expect(body.results.map((result: { decision: string } | null) => result?.decision ?? null)).toEqual([
      'approve',
      null,
      null,
      'decline',
    ]);
    expect(body).toMatchObject({
      succeeded: 2,
      failed: 2,
      errors: [
        { index: 1, decision_type: 'nothing', code: 'decision_type_not_found', status_code: 404, retryable: false },
        { index: 2, decision_type: 'loan', code: 'validation_error', status_code: 422, retryable: false },
      ],
    });
    expect((await bench.call('POST', '/decide/batch', [])).status).toBe(422);
    const one = { decision_type: 'loan', input: applicant(790) };
    expect((await bench.call('POST', '/decide/batch', { decisions: Array(51).fill(one) })).status).toBe(422);
    const full = await bench.call('POST', '/decide/batch', { decisions: Array(50).fill(one) });
    expect(full.body.succeeded).toBe(50);
  });

  it('uses new rules, thresholds and the fallback of the type at once, without a training [TYP-22] [THR-3] [THR-4]', async () => {
    const changed = await bench.call('PUT', path, {
      confidence_thresholds: { auto_decide: 1, escalation: 1 },
      fallback_option: 'decline',
    });
    expect(changed.status).toBe(200);
    const { body } = await decide(applicant(650));
    expect(body).toMatchObject({
      decision: 'decline',
      stage: 'fallback',
      fallback_used: true,
      escalate: true,
      reason_codes: [],
    });
    expect(body.class_probabilities.approve).toBeGreaterThan(0.5);
    await bench.call('PUT', path, { confidence_thresholds: { auto_decide: 0.6, escalation: 0.5 } });
    expect((await decide(applicant(790))).body.stage).toBe('classifier');
  });

  it('goes on with the trained version when the options change, and says so [TYP-23]', async () => {
    await bench.call('PUT', path, { options: ['approve', 'decline', 'review'] });
    expect((await bench.call('GET', path)).body).toMatchObject({ model_deployed: true, needs_retraining: true });
    const { body } = await decide(applicant(790));
    expect(Object.keys(body.class_probabilities)).toEqual(['approve', 'decline']);
    await bench.call('PUT', path, { options: ['approve', 'decline'] });
  });

  it('holds a policy back that misses its target, and deploys it on request [STA-5]', async () => {
    const started = await bench.call('POST', `${path}/train`, {
      tune_hyperparams: false,
      target_f1: 1,
      auto_deploy: false,
    });
    const second = started.body.policy_id;
    const done = await pollUntil(() => bench.call('GET', `${path}/policies/${second}/progress`), terminal);
    expect(done.body.status).toBe('trained');
    expect((await decide(applicant(790))).body.policy_version).toBe('v1');

    const deployed = await bench.call('POST', `${path}/policies/${second}/deploy`);
    expect(deployed.body).toMatchObject({ status: 'deployed', deployed: true, auto_deployed: false });
    expect((await decide(applicant(790))).body.policy_version).toBe('v2');
    const list = await bench.call('GET', `${path}/policies`);
    expect(list.body.map((p: { version: number; status: string }) => [p.version, p.status])).toEqual([
      [2, 'deployed'],
      [1, 'trained'],
    ]);
    expect((await bench.call('POST', `${path}/policies/${second}/cancel`)).status).toBe(409);
  });

  it('generates what is missing when asked to, and trains on it [TRN-12]', async () => {
    const few = await createTrainable(bench, { ...loanType, name: 'small loan' }, loanExamples(20));
    expect((await bench.call('POST', `${few}/train`, { rare_options: 'refuse' })).status).toBe(422);
    const started = await bench.call('POST', `${few}/train`, { auto_generate: true, tune_hyperparams: false });
    expect(started.status).toBe(202);
    const policy = `${few}/policies/${started.body.policy_id}`;
    const done = await pollUntil(() => bench.call('GET', `${policy}/progress`), terminal);
    expect(done.body).toMatchObject({ status: 'deployed', error: null });
    const { auto_generation } = (await bench.call('GET', policy)).body.metrics;
    expect(auto_generation).toMatchObject({ original_count: 40, minimum_required: 38 });
    expect(auto_generation.generated_count).toBeGreaterThanOrEqual(36);
  });

  it.each([499, 500, 501])('trains on every one of %i examples [TRN-14]', async (total) => {
    const examples = loanExamples(251).slice(0, total);
    const large = await createTrainable(bench, { ...loanType, name: `loan of ${total}` }, examples);
    const { policy_id: id } = (await bench.call('POST', `${large}/train`)).body;
    const rows = bench.deps.db.prepare('SELECT count(*) FROM training_snapshots WHERE policy_id = ?').pluck().get(id);
    expect([rows, bench.deps.store.policies.byId(id)?.snapshotSize]).toEqual([total, total]);
    await bench.call('POST', `${large}/policies/${id}/cancel`);
    await pollUntil(() => bench.call('GET', `${large}/policies/${id}/progress`), terminal);
  });

  it('decides the same after a restart', async () => {
    const before = await decide(applicant(650));
    await bench.stop();
    Object.assign(bench, await startWorkbench(bench.dataDir));
    const after = await decide(applicant(650));
    expect(after.body.class_probabilities).toEqual(before.body.class_probabilities);
  });
});
