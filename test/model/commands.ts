/** What a caller may do, each with what the specification says of it. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Answer, Call } from '../server/workbench.ts';
import {
  activeOf,
  afterClassifier,
  alive,
  type DecisionType,
  type Definition,
  type Log,
  type Model,
  matching,
  named,
  pageOf,
  takeOf,
  writtenRules,
} from './model.ts';

type Real = { call: Call; callAs(key: string): Call; move(ms: number): void };
type Command = fc.AsyncCommand<Model, Real>;

const base = '/api/v1/decision-types';
const typeNames = ['loans', 'claims', 'refunds'];

function command(text: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    async run(model, real) {
      // time goes on between any two calls
      model.elapsedMs += 1;
      real.move(1);
      await run(model, real);
    },
    toString: () => text,
  };
}

/** Stands for the type that has a policy, so that much is decided and logged. */
const theDeployed = -1;

/** A command upon one of the living types; there always is one or the command does nothing. */
function onType(
  text: string,
  index: number,
  run: (type: DecisionType, model: Model, real: Real) => Promise<void>,
): Command {
  return command(`${text} of type ${index}`, async (model, real) => {
    const types = alive(model);
    const type =
      index === theDeployed ? types.find(({ deployed }) => deployed) : types[index % Math.max(1, types.length)];
    if (type !== undefined) await run(type, model, real);
  });
}

const refusal = (answer: Answer) => [answer.status, answer.body?.error?.code];

function viewOf(type: DecisionType) {
  const active = activeOf(type);
  return {
    id: type.id,
    name: type.name,
    description: type.description,
    fallback_option: type.fallback,
    model_deployed: type.deployed,
    availability: type.deployed ? { state: 'available', reason: null } : null,
    active_version: {
      version_number: type.versions.length,
      options: active.options,
      hard_rules: writtenRules(active.rules),
      confidence_thresholds: active.thresholds,
      escalation_policy: { between: active.between, enabled: false },
    },
  };
}

function viewOfLog(type: DecisionType, log: Log) {
  return {
    request_id: log.requestId,
    decision_type: type.name,
    input: log.input,
    decision: log.decision,
    confidence: log.confidence,
    stage: log.stage,
    escalated: log.escalated,
    fallback_used: log.fallbackUsed,
    rules_triggered: log.rules,
    corrected_decision: log.corrected,
  };
}

/** Checks an answer to a decide call against the type's rules and thresholds, and notes what it must leave behind. */
function checkDecision(type: DecisionType, input: { amount: number }, body: Answer['body'], model: Model): void {
  const definition = activeOf(type);
  const rule = matching(definition, input.amount);
  const probabilities = body.class_probabilities as Record<string, number>;
  expect(Object.keys(probabilities).sort()).toEqual([...definition.options].sort());
  expect(Object.values(probabilities).reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 6);
  if (rule !== null) {
    expect(body).toMatchObject({
      decision: rule.then,
      confidence: 1,
      classifier_choice: null,
      classifier_probability: null,
      stage: 'rules',
      rules_triggered: [rule.name],
      escalate: false,
      fallback_used: false,
    });
    expect(probabilities[rule.then]).toBe(1);
  } else {
    const [option, probability] = Object.entries(probabilities).sort(([, a], [, b]) => b - a)[0] ?? ['', 0];
    const outcome = afterClassifier(type, option, probability);
    const own = outcome.decision === option;
    expect(body).toMatchObject({
      ...outcome,
      confidence: probabilities[outcome.decision],
      classifier_choice: own ? null : option,
      classifier_probability: own ? null : probability,
      rules_triggered: [],
    });
  }
  type.logs.unshift({
    id: null,
    requestId: body.request_id,
    input,
    decision: body.decision,
    confidence: body.confidence,
    stage: body.stage,
    escalated: body.escalate,
    fallbackUsed: body.fallback_used,
    rules: body.rules_triggered,
    corrected: null,
  });
  model.credits.push({ operation: 'decision', credits: 1 });
}

const nameOfDeployed = (model: Model) => alive(model).find(({ deployed }) => deployed)?.name ?? 'nobody';

/** What a call for this name is refused with, or null. */
function refusedFor(type: DecisionType | undefined): [number, string] | null {
  if (type === undefined) return [404, 'decision_type_not_found'];
  return type.deployed ? null : [428, 'model_not_deployed'];
}

const index = fc.oneof(fc.constant(theDeployed), fc.nat(6));
const place = fc.nat(6);
const page = fc.record({ page: fc.integer({ min: 1, max: 3 }), size: fc.integer({ min: 1, max: 4 }) });
const name = fc.constantFrom(...typeNames);
const decided = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: name });
const option = fc.constantFrom('yes', 'no');
const amount = fc.integer({ min: 0, max: 1200 });
const rules = fc
  .uniqueArray(
    fc.record({ limit: fc.constantFrom(100, 500, 900), then: option, priority: fc.integer({ min: 1, max: 3 }) }),
    {
      maxLength: 3,
      selector: ({ limit }) => limit,
    },
  )
  .map((list) => list.map((rule) => ({ ...rule, name: `over ${rule.limit}` })));
const thresholds = fc.constantFrom(
  { auto_decide: 0.85, escalation: 0.6 },
  { auto_decide: 1, escalation: 1 },
  { auto_decide: 0, escalation: 0 },
  { auto_decide: 1, escalation: 0 },
  { auto_decide: 0.99, escalation: 0.4 },
);
const between = fc.constantFrom('flag' as const, 'accept' as const, 'fallback' as const, 'escalate' as const);
const label = fc.constantFrom('yes', 'no', null, 'perhaps');

const creating = fc.record({ name, rules, fallback: fc.option(option) }).map(({ name, rules, fallback }) =>
  command(`create ${name}`, async (model, { call }) => {
    const options = ['yes', 'no'];
    const answer = await call('POST', base, {
      name,
      options,
      rules: writtenRules(rules),
      fallback_option: fallback,
      escalation_policy: { unfamiliar: 'ignore' },
    });
    if (named(model, name) !== undefined) return expect(refusal(answer)).toEqual([409, 'conflict']);
    const type: DecisionType = {
      id: answer.body.id,
      name,
      description: '',
      fallback,
      versions: [{ options, rules, thresholds: { auto_decide: 0.85, escalation: 0.6 }, between: 'flag' }],
      deployed: false,
      deleted: false,
      examples: [],
      logs: [],
    };
    expect([answer.status, answer.body]).toEqual([201, expect.objectContaining({ name })]);
    expect(answer.body).toMatchObject(viewOf(type));
    model.types.push(type);
  }),
);

type Changes = {
  name?: string | undefined;
  description?: string | undefined;
  fallback?: string | null | undefined;
  rules?: Definition['rules'] | undefined;
  thresholds?: Definition['thresholds'] | undefined;
  between?: Definition['between'] | undefined;
};
const changes: fc.Arbitrary<Changes> = fc.record(
  {
    name,
    description: fc.constantFrom('', 'some words'),
    fallback: fc.constantFrom('yes', 'no', null, 'perhaps'),
    rules,
    thresholds,
    between,
  },
  { requiredKeys: [] },
);
const updating = fc.tuple(index, changes).map(([index, changed]) =>
  onType(`change ${JSON.stringify(changed)}`, index, async (type, model, { call }) => {
    const { fallback, rules, between, thresholds, ...record } = changed;
    const answer = await call('PUT', `${base}/${type.id}`, {
      ...record,
      ...(fallback === undefined ? {} : { fallback_option: fallback }),
      ...(rules === undefined ? {} : { hard_rules: writtenRules(rules) }),
      ...(thresholds === undefined ? {} : { confidence_thresholds: thresholds }),
      ...(between === undefined ? {} : { escalation_policy: { between, unfamiliar: 'ignore' } }),
    });
    if (fallback === 'perhaps') return expect(refusal(answer)).toEqual([422, 'validation_error']);
    const holder = record.name === undefined ? undefined : named(model, record.name);
    if (holder !== undefined && holder !== type) return expect(refusal(answer)).toEqual([409, 'conflict']);
    expect(answer.status).toBe(200);
    type.name = record.name ?? type.name;
    type.description = record.description ?? type.description;
    if (fallback !== undefined) type.fallback = fallback;
    const before = activeOf(type);
    const after = {
      ...before,
      rules: rules ?? before.rules,
      thresholds: thresholds ?? before.thresholds,
      between: between ?? before.between,
    };
    // only a change of logic makes a version, and saying again what is so is no change
    if (JSON.stringify(after) !== JSON.stringify(before)) type.versions.push(after);
    expect(answer.body).toMatchObject(viewOf(type));
  }),
);

const deleting = place.map((index) =>
  onType('delete', index, async (type, _model, { call }) => {
    expect((await call('DELETE', `${base}/${type.id}`)).status).toBe(204);
    type.deleted = true;
    for (const path of ['', '/versions', '/examples', '/logs', '/metrics', '/policies']) {
      expect(refusal(await call('GET', `${base}/${type.id}${path}`))).toEqual([404, 'decision_type_not_found']);
    }
  }),
);

const listing = page.map(({ page, size }) =>
  command(`list types, page ${page} of ${size}`, async (model, { call }) => {
    const answer = await call('GET', `${base}?page=${page}&page_size=${size}`);
    expect(answer.body).toMatchObject(pageOf(alive(model).map(viewOf), page, size));
  }),
);

const readingVersions = index.map((index) =>
  onType('read versions', index, async (type, _model, { call }) => {
    const { body } = await call('GET', `${base}/${type.id}/versions`);
    const expected = type.versions.map(({ rules, thresholds }, at) => ({
      version_number: at + 1,
      hard_rules: writtenRules(rules),
      confidence_thresholds: thresholds,
    }));
    expect(body).toMatchObject(expected.reverse());
    const oldest = body.at(-1);
    expect((await call('GET', `${base}/${type.id}/versions/${oldest.id}`)).body).toEqual(oldest);
  }),
);

const addingExamples = fc
  .tuple(index, fc.array(fc.record({ amount, label }), { minLength: 1, maxLength: 4 }))
  .map(([index, given]) =>
    onType(`add ${given.length} examples`, index, async (type, _model, { call }) => {
      const examples = given.map(({ amount, label }) => ({ input: { amount }, decision: label }));
      const answer = await call('POST', `${base}/${type.id}/examples`, { examples });
      if (given.some(({ label }) => label === 'perhaps'))
        return expect(refusal(answer)).toEqual([422, 'validation_error']);
      expect(answer.status).toBe(201);
      for (const [at, { input, decision }] of examples.entries()) {
        type.examples.unshift({ id: answer.body[at].id, input, decision, reviewed: false, logId: null });
      }
    }),
  );

const changingExample = fc
  .tuple(index, index, fc.record({ decision: label, reviewed: fc.boolean() }, { requiredKeys: [] }))
  .map(([index, at, changed]) =>
    onType(`change example ${at}`, index, async (type, _model, { call }) => {
      const example = type.examples[at % Math.max(1, type.examples.length)];
      if (example === undefined) return;
      const answer = await call('PATCH', `${base}/${type.id}/examples/${example.id}`, changed);
      if (changed.decision === 'perhaps') return expect(refusal(answer)).toEqual([422, 'validation_error']);
      if (changed.decision !== undefined) example.decision = changed.decision;
      if (changed.reviewed !== undefined) example.reviewed = changed.reviewed;
      expect(answer.body).toMatchObject({ expected_decision: example.decision, reviewed: example.reviewed });
    }),
  );

const deletingExample = fc.tuple(index, place).map(([index, at]) =>
  onType(`delete example ${at}`, index, async (type, _model, { call }) => {
    const example = type.examples[at % Math.max(1, type.examples.length)];
    if (example === undefined) return;
    const url = `${base}/${type.id}/examples/${example.id}`;
    expect((await call('DELETE', url)).status).toBe(204);
    expect(refusal(await call('DELETE', url))).toEqual([404, 'not_found']);
    type.examples = type.examples.filter((other) => other !== example);
  }),
);

const reviewing = fc.tuple(index, fc.boolean(), fc.boolean()).map(([index, reviewed, undone]) =>
  onType(`review all as ${reviewed}${undone ? ', undone' : ''}`, index, async (type, _model, { call }) => {
    const url = `${base}/${type.id}/examples`;
    const { body } = await call('POST', `${url}/bulk`, {
      filter: { labelled: true },
      action: 'set_reviewed',
      reviewed,
    });
    const touched = type.examples.filter(({ decision }) => decision !== null);
    expect(body.affected).toBe(touched.length);
    if (!undone) for (const example of touched) example.reviewed = reviewed;
    else
      expect((await call('POST', `${url}/undo`, { undo_token: body.undo_token })).body.affected).toBe(touched.length);
  }),
);

const listingExamples = fc
  .tuple(
    index,
    page,
    fc.record({ labelled: fc.boolean(), reviewed: fc.boolean(), decision: option }, { requiredKeys: [] }),
  )
  .map(([index, { page, size }, filter]) =>
    onType(`list examples ${JSON.stringify(filter)}`, index, async (type, _model, { call }) => {
      const query = new URLSearchParams({ page: String(page), page_size: String(size) });
      for (const [key, value] of Object.entries(filter)) query.set(key, String(value));
      const found = type.examples.filter(
        ({ decision, reviewed }) =>
          (filter.labelled === undefined || (decision !== null) === filter.labelled) &&
          (filter.reviewed === undefined || reviewed === filter.reviewed) &&
          (filter.decision === undefined || decision === filter.decision),
      );
      const expected = found.map(({ id, input, decision, reviewed }) => ({
        id,
        input_payload: input,
        expected_decision: decision,
        reviewed,
        source: 'user',
      }));
      const { body } = await call('GET', `${base}/${type.id}/examples?${query}`);
      expect(body).toMatchObject(pageOf(expected, page, size));
      const labelled = type.examples.filter(({ decision }) => decision !== null);
      const count = (wanted: string) => labelled.filter(({ decision }) => decision === wanted).length;
      const { suspects: _, ...stats } = (await call('GET', `${base}/${type.id}/examples/stats`)).body;
      expect(stats).toEqual({
        total: type.examples.length,
        labelled: labelled.length,
        unlabelled: type.examples.length - labelled.length,
        reviewed: type.examples.filter(({ reviewed }) => reviewed).length,
        by_source: { user: type.examples.length, synthetic: 0 },
        by_option: { yes: count('yes'), no: count('no') },
        by_queue: {
          to_label: type.examples.length - labelled.length,
          random: type.examples.length - labelled.length,
          flagged: 0,
          suspect: expect.any(Number),
          corrections: expect.any(Number),
          audit: 0,
          synthetic: 0,
          second_reading: 0,
          conflicts: 0,
        },
      });
    }),
  );

const deciding = fc.tuple(decided, amount).map(([given, amount]) =>
  command(`decide ${given ?? 'the deployed one'} for ${amount}`, async (model, { call }) => {
    const name = given ?? nameOfDeployed(model);
    const type = named(model, name);
    model.requests += 1;
    const requestId = `request ${model.requests}`;
    const answer = await call(
      'POST',
      '/api/v1/decide',
      { decision_type: name, input: { amount } },
      { 'x-request-id': requestId },
    );
    const refused = refusedFor(type);
    if (refused !== null || type === undefined) return expect(refusal(answer)).toEqual(refused);
    expect([answer.status, answer.body.request_id, answer.headers['x-request-id']]).toEqual([
      200,
      requestId,
      requestId,
    ]);
    checkDecision(type, { amount }, answer.body, model);
  }),
);

const decidingMany = fc.array(fc.record({ given: decided, amount }), { minLength: 1, maxLength: 4 }).map((wished) =>
  command(`decide ${wished.length} at once`, async (model, { call }) => {
    const items = wished.map(({ given, amount }) => ({ name: given ?? nameOfDeployed(model), amount }));
    const decisions = items.map(({ name, amount }) => ({ type: name, input: { amount } }));
    const { body } = await call('POST', '/api/v1/decide/batch', decisions);
    expect(body.results).toHaveLength(items.length);
    const errors: object[] = [];
    for (const [index, { name, amount }] of items.entries()) {
      const type = named(model, name);
      const refused = refusedFor(type);
      if (refused === null && type !== undefined) checkDecision(type, { amount }, body.results[index], model);
      else {
        expect(body.results[index]).toBe(null);
        errors.push({ index, decision_type: name, status_code: refused?.[0], code: refused?.[1], retryable: false });
      }
    }
    expect(body.errors).toMatchObject(errors);
    expect([body.errors.length, body.failed, body.succeeded]).toEqual([
      errors.length,
      errors.length,
      items.length - errors.length,
    ]);
  }),
);

const listingLogs = fc
  .tuple(
    index,
    page,
    fc.record(
      { decision: option, escalated: fc.boolean(), min_confidence: fc.constantFrom(0, 0.7, 1) },
      { requiredKeys: [] },
    ),
  )
  .map(([index, { page, size }, filter]) =>
    onType(`list logs ${JSON.stringify(filter)}`, index, async (type, _model, { call }) => {
      const query = new URLSearchParams(Object.entries(filter).map(([key, value]) => [key, String(value)]));
      const found = type.logs.filter(
        ({ decision, escalated, confidence }) =>
          (filter.decision === undefined || decision === filter.decision) &&
          (filter.escalated === undefined || escalated === filter.escalated) &&
          (filter.min_confidence === undefined || confidence >= filter.min_confidence),
      );
      const url = `${base}/${type.id}/logs`;
      const { body } = await call('GET', `${url}?page=${page}&page_size=${size}&${query}`);
      expect(body).toMatchObject(
        pageOf(
          found.map((log) => viewOfLog(type, log)),
          page,
          size,
        ),
      );
      const exported = JSON.parse((await call('GET', `${url}/export?${query}`)).text) as object[];
      const ids = (records: readonly object[]) =>
        records.map((record) => (record as { request_id: string }).request_id).sort();
      expect(ids(exported)).toEqual(ids(found.map((log) => viewOfLog(type, log))));
    }),
  );

const correcting = fc.tuple(index, place, option).map(([index, at, right]) =>
  onType(`correct log ${at} to ${right}`, index, async (type, _model, { call }) => {
    const log = type.logs[at % Math.max(1, type.logs.length)];
    if (log === undefined) return;
    log.id ??= (
      await call('GET', `${base}/${type.id}/logs?page=${type.logs.indexOf(log) + 1}&page_size=1`)
    ).body.items[0].id;
    const answer = await call('PUT', `${base}/${type.id}/logs/${log.id}/correction`, { decision: right });
    log.corrected = right;
    expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ corrected_decision: right })]);
    const example = type.examples.find(({ logId }) => logId === log.id);
    if (example !== undefined) Object.assign(example, { decision: right, reviewed: true });
    else {
      // the example is made by the service: its id is read back once
      const newest = (await call('GET', `${base}/${type.id}/examples?page_size=1`)).body.items[0];
      expect(newest).toMatchObject({
        input_payload: log.input,
        expected_decision: right,
        reviewed: true,
        source: 'user',
      });
      type.examples.unshift({ id: newest.id, input: log.input, decision: right, reviewed: true, logId: log.id });
    }
  }),
);

const measuring = index.map((index) =>
  onType('read metrics and credits', index, async (type, model, { call }) => {
    const mean = (values: number[]) => (values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length);
    const close = (value: number | null) => (value === null ? null : expect.closeTo(value, 9));
    const figures = (logs: readonly Log[]) => ({
      total_decisions: logs.length,
      avg_confidence: close(mean(logs.map(({ confidence }) => confidence))),
      escalation_rate: close(mean(logs.map(({ escalated }) => Number(escalated)))),
    });
    const distribution: Record<string, number> = {};
    for (const { decision } of type.logs) distribution[decision] = (distribution[decision] ?? 0) + 1;
    expect((await call('GET', `${base}/${type.id}/metrics`)).body).toMatchObject({
      ...figures(type.logs),
      decision_distribution: distribution,
    });
    const organisation = (await call('GET', '/api/v1/metrics')).body;
    expect(organisation.total_decisions).toBe(alive(model).reduce((sum, { logs }) => sum + logs.length, 0));
    for (const type of alive(model)) {
      const row = organisation.decision_types.find((found: { id: string }) => found.id === type.id);
      expect(row).toMatchObject({ name: type.name, ...figures(type.logs) });
    }
    const used = model.credits.reduce((sum, { credits }) => sum + credits, 0);
    expect((await call('GET', '/api/v1/credits')).body).toMatchObject({ plan: 'local', used, remaining: null });
    const decisions = model.credits.filter(({ operation }) => operation === 'decision').length;
    const usage = (await call('GET', '/api/v1/credits/usage?operation=decision&page_size=2&days=1')).body;
    expect(usage).toMatchObject({ total: decisions, page: 1, page_size: 2, pages: Math.ceil(decisions / 2) });
    expect(usage.summary.total_credits).toBe(decisions);
    expect(usage.items).toHaveLength(Math.min(2, decisions));
  }),
);

const makingKey = fc.integer({ min: 1, max: 4 }).map((limit) =>
  command(`make a key for ${limit} calls a minute`, async (model, { call }) => {
    const { status, body } = await call('POST', '/api/v1/api-keys', { name: 'program', rate_limit_per_minute: limit });
    expect([status, body.key]).toEqual([201, expect.stringMatching(/^[0-9a-f]{64}$/)]);
    model.keys.push({ id: body.id, key: body.key, limit, revoked: false, window: null });
    const listed = (await call('GET', '/api/v1/api-keys')).body as { id: string }[];
    const expected = model.keys.filter(({ revoked }) => !revoked).map(({ id }) => id);
    expect(listed.map(({ id }) => id).sort()).toEqual(expected.sort());
    expect(JSON.stringify(listed)).not.toContain(body.key);
  }),
);

const usingKey = fc.tuple(place, fc.boolean(), fc.integer({ min: 1, max: 5 })).map(([index, account, times]) =>
  command(`use key ${index} on ${account ? 'the account' : 'credits'}, ${times} times`, async (model, { callAs }) => {
    const key = model.keys[index % Math.max(1, model.keys.length)];
    if (key === undefined) return;
    for (let time = 0; time < times; time += 1) {
      const answer = await callAs(key.key)('GET', account ? '/api/v1/auth/me' : '/api/v1/credits');
      if (key.revoked) {
        expect(refusal(answer)).toEqual([401, 'unauthorized']);
        continue;
      }
      const { allowed, remaining } = takeOf(model, key);
      expect(answer.status).toBe(!allowed ? 429 : account ? 403 : 200);
      expect([answer.headers['x-ratelimit-limit'], answer.headers['x-ratelimit-remaining']]).toEqual([
        String(key.limit),
        String(remaining),
      ]);
      const waitSeconds = Math.ceil(((key.window?.endsAt ?? 0) - model.elapsedMs) / 1000);
      expect(answer.headers['retry-after']).toBe(allowed ? undefined : String(waitSeconds));
    }
  }),
);

const revokingKey = place.map((index) =>
  command(`revoke key ${index}`, async (model, { call }) => {
    const key = model.keys[index % Math.max(1, model.keys.length)];
    if (key === undefined) return;
    const answer = await call('DELETE', `/api/v1/api-keys/${key.id}`);
    expect(answer.status).toBe(key.revoked ? 404 : 204);
    key.revoked = true;
  }),
);

const waiting = fc.constantFrom(1_000, 30_000, 61_000).map((ms) =>
  command(`wait ${ms} ms`, async (model, { move }) => {
    model.elapsedMs += ms;
    move(ms);
  }),
);

const weighted: [number, fc.Arbitrary<Command>][] = [
  [4, creating],
  [6, updating],
  [1, deleting],
  [2, listing],
  [2, readingVersions],
  [4, addingExamples],
  [3, changingExample],
  [2, deletingExample],
  [3, reviewing],
  [4, listingExamples],
  [9, deciding],
  [4, decidingMany],
  [4, listingLogs],
  [4, correcting],
  [3, measuring],
  [2, makingKey],
  [5, usingKey],
  [1, revokingKey],
  [2, waiting],
];

/** Long runs of calls; what is decided and read comes more often than what ends a type or a key. */
export const sequences: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary }))),
  { minLength: 60, maxLength: 120, size: 'max' },
);
