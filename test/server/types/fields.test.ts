/** Every resource as it is answered, field by field, as somebody reads it who has only the interface at hand. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, createTrainable, loanExamples, loanType, openForAll, pollUntil, terminal } from '../workbench.ts';

const uuid = expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const text = expect.any(String);
const flag = expect.any(Boolean);
const list = expect.any(Array);
const number = expect.any(Number);
const whole = expect.toSatisfy((value) => Number.isInteger(value), 'is a whole number');
const part = expect.toSatisfy((value) => typeof value === 'number' && value >= 0 && value <= 1, 'is 0 to 1');

const version = {
  id: uuid,
  version_number: whole,
  options: ['approve', 'decline'],
  reason_codes: loanType.reason_codes,
  hard_rules: [
    { name: 'too much', condition: 'ctx.amount > 50000', then: 'decline', reason_code: 'TOO_MUCH', priority: 1 },
  ],
  lists: {},
  readings: {},
  input_schema: null,
  confidence_thresholds: { auto_decide: 0.85, escalation: 0.6 },
  escalation_policy: { enabled: false, between: 'flag', connection: null, timeout_ms: 10_000, unfamiliar: 'escalate' },
  created_at: time,
};
const decisionType = {
  id: uuid,
  name: 'loan',
  description: '',
  active_version: version,
  pii_fields: [],
  pii_residue: null,
  retention_days: 90,
  fallback_option: null,
  model_deployed: flag,
  audit: null,
  publish_by_hand: false,
  name_notice: null,
  publish_by_another: false,
  draft: null,
  costs: null,
  one_case: null,
  groups: null,
  availability: expect.toBeOneOf([null, { state: 'available', reason: null }]),
  needs_retraining: false,
  promise: null,
  declared_promise: null,
  better_policy: null,
  created_at: time,
  etag: text,
  updated_at: time,
};
const summary = {
  id: uuid,
  decision_type_id: uuid,
  version: 1,
  policy_type: text,
  status: 'deployed',
  deployed: true,
  auto_deployed: true,
  accuracy: part,
  macro_f1: part,
  train_size: whole,
  quality_gate_met: true,
  augmentation_status: text,
  follows: null,
  held_back: null,
  needs_attention: null,
  whole: expect.objectContaining({ headline: text, accuracy: expect.any(Object), baseline: expect.any(Object) }),
  created_at: time,
};
const attempt = {
  attempt_id: uuid,
  attempt_number: 1,
  status: text,
  execution_name: text,
  task_index: whole,
  task_attempt: whole,
  started_at: time,
  last_heartbeat_at: time,
  completed_at: time,
  error: null,
};
const progress = {
  policy_id: uuid,
  status: 'deployed',
  stage: 'package',
  stage_name: 'Compile and package',
  message: text,
  error: null,
  duration_hint: text,
  execution_name: text,
  stage_number: 7,
  total_stages: 7,
  task_index: whole,
  task_attempt: whole,
  attempt_number: 1,
  queue_place: null,
  retry_count: 0,
  progress_percent: 100,
  elapsed_seconds: number,
  started_at: time,
  attempt_started_at: time,
  last_heartbeat_at: time,
  estimated_completion_at: time,
  attempt_id: uuid,
  completed_stages: list,
  attempts: [attempt],
};

describe('the fields of', () => {
  const bench = openForAll();
  let path: string;
  let policyId: string;
  let started: Answer;
  let running: Answer;
  const get = async (url: string) => (await bench.call('GET', url)).body;

  beforeAll(async () => {
    path = await createTrainable(bench, loanType, loanExamples(40));
    started = await bench.call('POST', `${path}/train`);
    policyId = started.body.policy_id;
    running = await bench.call('GET', `${path}/policies/${policyId}/progress`);
    await pollUntil(() => bench.call('GET', `${path}/policies/${policyId}/progress`), terminal);
  });

  it('a decision type and its versions [TYP-1] [TYP-25] [VER-1] [VER-3] [RUL-1]', async () => {
    expect(await get(path)).toEqual(decisionType);
    expect((await get('/decision-types')).items).toEqual([decisionType]);
    expect(await get(`${path}/versions`)).toEqual([version]);
    const [{ id }] = await get(`${path}/versions`);
    expect(await get(`${path}/versions/${id}`)).toEqual(version);
    const missing = await bench.call('GET', `${path}/versions/${policyId}`);
    expect([missing.status, missing.body.error.code]).toEqual([404, 'not_found']);
  });

  it('an example, the statistics and the readiness [EXA-4] [EXA-7] [RDY-1] [RDY-2]', async () => {
    expect((await get(`${path}/examples?page_size=1`)).items).toEqual([
      {
        id: uuid,
        decision_type_id: path.slice('/decision-types/'.length),
        input_payload: expect.objectContaining({ amount: whole }),
        expected_decision: 'decline',
        reason_codes: ['LOW_SCORE'],
        source: 'user',
        reviewed: false,
        test: false,
        must: false,
        status: 'done',
        note: null,
        audited: false,
        labelled_by: 'person',
        first_decision: null,
        created_at: time,
        updated_at: time,
      },
    ]);
    expect(await get(`${path}/examples/stats`)).toEqual({
      total: 80,
      labelled: 80,
      unlabelled: 0,
      reviewed: 0,
      by_source: { user: 80, synthetic: 0 },
      by_option: { approve: 40, decline: 40 },
      by_queue: {
        to_label: 0,
        random: 0,
        flagged: 0,
        suspect: 0,
        corrections: 0,
        audit: 0,
        synthetic: 0,
        second_reading: 0,
        conflicts: 0,
      },
      suspects: null,
    });
    expect(await get(`${path}/training-readiness`)).toEqual({
      ready: true,
      total_examples: 80,
      labelled_examples: 80,
      missing_labels: 0,
      per_option: { approve: 40, decline: 40 },
      options: ['approve', 'decline'],
      min_total: 38,
      min_per_option: 38,
      hinted: 0,
      left_to_rules: 0,
      set_aside: { options: [], examples: 0 },
      never_alone: { options: [], examples: 0, sentence: '' },
      issues: [],
      notes: [],
    });
  });

  it('the answer to a training that has begun [TRN-1] [TRN-2]', async () => {
    expect(started.status).toBe(202);
    expect(started.body).toEqual({
      ...summary,
      policy_id: started.body.id,
      status: 'training',
      deployed: false,
      auto_deployed: false,
      accuracy: null,
      macro_f1: null,
      train_size: null,
      quality_gate_met: null,
      augmentation_status: null,
      whole: null,
      held_back: null,
      needs_attention: null,
    });
    const { training_config } = await get(`${path}/policies/${policyId}`);
    expect(training_config).toMatchObject({ target_f1: null, auto_deploy: true, tune_hyperparams: true });
  });

  it('a policy in the list and in detail [POL-1] [POL-2] [POL-3] [POL-4] [VER-5]', async () => {
    expect(await get(`${path}/policies`)).toEqual([summary]);
    const detail = await pollUntil(
      () => get(`${path}/policies/${policyId}`),
      ({ metrics }) => metrics.follow_up.state !== 'pending',
    );
    const { accuracy: _a, macro_f1: _f, train_size: _t, augmentation_status: _s, whole: _w, ...shared } = summary;
    expect(detail).toEqual({
      ...shared,
      verdict: [{ kind: 'availability', state: 'passed', sentence: 'It is loaded and decides.' }],
      decision_type_version: 1,
      training_config: {
        augment: false,
        augment_target_size: null,
        auto_generate: false,
        min_per_option: 38,
        rare_options: 'measure',
        train_on: 'all',
        days_between: true,
        split: { by: 'random', field: null },
        tune_hyperparams: true,
        n_tuning_trials: 20,
        target_f1: null,
        auto_deploy: true,
        escalation_threshold: null,
        refit: true,
        seed: null,
        tune_encoder: 'auto',
        tuning_tokens: 400_000,
        text_model: 'auto',
        golden_inputs: 'synthetic',
      },
      metrics: expect.any(Object),
      target_f1: null,
      error: null,
      current_attempt_id: uuid,
      execution_name: text,
      last_heartbeat_at: time,
      last_training_error: null,
      tuning: null,
      promise: null,
      promise_standing: { state: 'nothing_promised', sentence: text },
      snapshot_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      seed: whole,
      tool_versions: { tool: text, node: text, runtime: text },
    });
    const scores = expect.toSatisfy(
      (of: object) => Object.values(of).length > 0 && Object.values(of).every((value) => typeof value === 'number'),
      'is an object of numbers',
    );
    expect(detail.metrics).toMatchObject({
      accuracy: part,
      macro_f1: part,
      macro_precision: part,
      macro_recall: part,
      per_class: { approve: scores, decline: scores },
      confusion_labels: ['approve', 'decline'],
      train_size: whole,
      test_size: whole,
      feature_count: whole,
      escalation_estimate: part,
      latency_estimate_p50_ms: number,
      latency_estimate_p95_ms: number,
      augmentation: {
        status: text,
        original_count: whole,
        augmented_count: whole,
        target_size: whole,
        failure_reason: text,
        per_class_counts: expect.any(Object),
      },
      auto_generation: { status: text, generated_count: whole, original_count: whole, minimum_required: 38 },
    });
    const { confusion_matrix: matrix, train_size, test_size } = detail.metrics;
    expect([matrix.length, ...matrix.map((row: number[]) => row.length)]).toEqual([2, 2, 2]);
    expect(matrix.flat().reduce((sum: number, cell: number) => sum + cell, 0)).toBe(test_size);
    expect(train_size + test_size).toBe(80);
  });

  it('the progress, during the training and after it [PRG-1] [PRG-2] [PRG-3] [TRN-6]', async () => {
    const done = await get(`${path}/policies/${policyId}/progress`);
    expect(done).toEqual(progress);
    expect(done.completed_stages.map((row: { stage: string; name: string }) => [row.stage, row.name])).toEqual([
      ['generate', 'Generate examples'],
      ['prepare', 'Prepare data'],
      ['features', 'Learn features'],
      ['text_model', 'Fit text model'],
      ['classifier', 'Train classifier'],
      ['evaluate', 'Evaluate'],
      ['package', 'Compile and package'],
    ]);
    for (const row of done.completed_stages) expect(row).toEqual({ stage: text, name: text, completed_at: time });
    expect(running.body).toMatchObject({ status: 'training', retry_count: 0, attempts: [{ status: 'running' }] });
    expect(Object.keys(running.body).toSorted()).toEqual(Object.keys(progress).toSorted());
  });

  it('a decision and its log record [DEC-4] [DEC-8] [LOG-3]', async () => {
    const before = Date.now();
    const { body } = await bench.call('POST', '/decide', {
      decision_type: 'loan',
      input: { applicant: { score: 790 }, amount: 2_000, purpose: 'car', employed: true },
    });
    expect(body).toEqual({
      decision: 'approve',
      confidence: part,
      ...{ classifier_choice: null, classifier_probability: null, rule_errors: [] },
      reason_codes: ['GOOD_SCORE'],
      escalate: false,
      fallback_used: false,
      unfamiliar: false,
      rules_triggered: [],
      latency_ms: number,
      policy_version: 'v1',
      release: 1,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      class_probabilities: { approve: part, decline: part },
      explanation: text,
      request_id: text,
      stage: 'classifier',
    });
    const [record] = (await get(`${path}/logs`)).items;
    expect(record).toEqual({
      id: uuid,
      request_id: body.request_id,
      decision_type_id: path.slice('/decision-types/'.length),
      decision_type: 'loan',
      input: { applicant: { score: 790 }, amount: 2_000, purpose: 'car', employed: true },
      decision: body.decision,
      confidence: body.confidence,
      ...{ classifier_choice: null, classifier_probability: null, imported_by: null, imported_file: null },
      stage: body.stage,
      reason_codes: body.reason_codes,
      class_probabilities: body.class_probabilities,
      rules_triggered: body.rules_triggered,
      rule_errors: [],
      escalated: body.escalate,
      fallback_used: body.fallback_used,
      unfamiliar: body.unfamiliar,
      policy_version: body.policy_version,
      decision_type_version: 1,
      release: body.release,
      origin: 'workbench',
      imported_by: null,
      imported_file: null,
      digest: body.digest,
      explanation: body.explanation,
      latency_ms: body.latency_ms,
      api_key_id: null,
      created_at: time,
      corrected_decision: null,
    });
    expect(Date.parse(record.created_at)).toBeGreaterThanOrEqual(before);
  });

  it('the metrics of a type and of the organisation [MET-1] [MET-2]', async () => {
    for (let n = 0; n < 3; n += 1) {
      await bench.call('POST', '/decide', { decision_type: 'loan', input: { amount: 60_000 } });
    }
    const one = await get(`${path}/metrics`);
    expect(one).toEqual({
      total_decisions: 4,
      avg_confidence: part,
      avg_latency_ms: number,
      latency_p50_ms: number,
      latency_p95_ms: number,
      escalation_rate: 0,
      decision_distribution: { approve: 1, decline: 3 },
    });
    expect(await get('/metrics')).toEqual({
      total_decisions: 4,
      decisions_today: whole,
      avg_latency_ms: number,
      decision_types: [
        {
          id: path.slice('/decision-types/'.length),
          name: 'loan',
          total_decisions: 4,
          decisions_24h: 4,
          avg_confidence: one.avg_confidence,
          avg_latency_ms: one.avg_latency_ms,
          escalation_rate: 0,
        },
      ],
    });
  });

  it('the user, the organisation and a key [ACC-1] [ACC-5] [KEY-1] [KEY-4] [AUT-4]', async () => {
    expect(await get('/auth/me')).toEqual({
      user: { id: uuid, email: null, name: text, role: 'owner', created_at: time },
      organisation: { id: uuid, name: text, plan: 'local', created_at: time },
    });
    const made = await bench.call('POST', '/api-keys', { name: 'shop' });
    const key = {
      id: uuid,
      name: 'shop',
      prefix: text,
      rate_limit_per_minute: 600,
      created_at: time,
      scopes: null,
      allow_destructive: false,
      holder: null,
    };
    expect([made.status, made.body]).toEqual([201, { ...key, key: expect.stringMatching(/^[0-9a-f]{64}$/) }]);
    expect(await get('/api-keys')).toEqual([{ ...key, last_used_at: null }]);
  });
});
