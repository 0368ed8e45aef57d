/** What one organisation has does not exist for another, on any route of the operation table. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importJWK, SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { localAudience, localIssuer } from '../../../src/server/auth/issuer.ts';
import { listOperations } from '../../../src/server/contract/operations.ts';
import {
  type Call,
  callerOf,
  createTrainable,
  loanExamples,
  loanType,
  openForAll,
  sendForm,
  train,
} from '../workbench.ts';

const bench = openForAll();
let stranger: Call;
let strangersKey: Call;
/** Ids of the first organisation, by the name of their path parameter. */
let ids: Record<string, string>;

/** A body that the operation would accept; operations that need none are not listed. */
const bodies: Record<string, unknown> = {
  'releases.create': { release: 1 },
  'aliases.set': { release: 1 },
  'questions.bind': { kind: 'predicate', instructions: 'Good?', options: ['approve'] },
  'examples.create': { examples: [{ input: { amount: 1 } }] },
  'examples.update': { input: { amount: 1 } },
  'second_readings.draw': { share: 1 },
  'second_readings.give': { expected_decision: 'approve' },
  'examples.suggest': { ids: ['018f0000-0000-7000-8000-000000000000'] },
  'examples.bulk': { action: 'delete', filter: {} },
  'examples.undo': { undo_token: 'x' },
  'examples.import': { format: 'jsonl', content: '{"amount":1}', commit: true },
  'logs.correct': { decision: 'approve' },
  'options.delete': { option: 'approve', commit: true },
  'options.merge': { from: 'approve', into: 'decline', commit: true },
  'options.undo': { undo_token: 'x' },
  'options.rename': { from: 'approve', to: 'accept', commit: true },
  'imports.commit': {},
  'rules.analyse': { rules: [] },
  'policies.create': { kind: 'rules_only' },
  'policies.import': { file: 'UEsDBA==' },
  'policies.try_rules': { rules: [] },
  'policies.keep_promise': { target_error: 0.1 },
  'promises.declare': { target_error: 0.1 },
};

const withIds = listOperations().filter(({ row }) => /:[a-z_]+_id\b/.test(row.path));
/** The address with a query where the operation needs one. */
const urlOf = (path: string, values: Record<string, string>) => {
  const url = path.replace(/:([a-z_]+)/g, (_, name: string) => values[name] ?? name);
  if (path.endsWith('/comparison')) return `${url}?with=${values['policy_id']}`;
  return path.endsWith('/examples/trained') ? `${url}?policy_id=${values['policy_id']}` : url;
};

/** Everything that is stored, but for when keys were last used and the time that the workbench looks at by itself. */
function stored(): unknown {
  const tables = bench.deps.db
    .prepare<[], string>(
      `SELECT name FROM sqlite_schema
       WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'clock_sightings' ORDER BY 1`,
    )
    .pluck()
    .all();
  return tables.map((table) => [
    table,
    bench.deps.db
      .prepare<[], object>(`SELECT * FROM "${table}"`)
      .all()
      .map((row) => ('last_used_at' in row ? { ...row, last_used_at: null } : row)),
  ]);
}

beforeAll(async () => {
  const path = await createTrainable(bench, loanType, loanExamples(40));
  const theirs = new File(['text,label\na,yes\nb,no\n'], 'theirs.csv');
  const policy_id = await train(bench.call, path);
  expect((await bench.call('POST', '/decide', { decision_type: 'loan', input: { amount: 1 } })).status).toBe(200);
  const first = async (url: string) => {
    const { body } = await bench.call('GET', url);
    return (body.items ?? body)[0].id as string;
  };
  ids = {
    decision_type_id: path.split('/').at(-1) ?? '',
    policy_id,
    version_id: await first(`${path}/versions`),
    example_id: await first(`${path}/examples`),
    log_id: await first(`${path}/logs`),
    key_id: (await bench.call('POST', '/api-keys', { name: 'theirs' })).body.id,
    import_id: (await sendForm(bench.call, '/imports', theirs, { name: 'theirs' })).body.id,
    question_id: (
      await bench.call('POST', `${path}/questions`, { kind: 'predicate', instructions: 'Good?', options: ['approve'] })
    ).body.id,
    alias: 'production',
    connection_id: (
      await bench.call('POST', '/connections', { name: 'theirs', url: 'http://127.0.0.1:1/v1', model: 'm' })
    ).body.id,
  };

  const { accounts } = bench.deps.store;
  const organisationId = bench.deps.newId();
  accounts.insertOrganisation(organisationId, 'Strangers', Date.now());
  accounts.insertUser({
    id: bench.deps.newId(),
    organisationId,
    email: null,
    name: 'Stranger',
    role: 'owner',
    createdAt: Date.now(),
    issuer: localIssuer,
    subject: 'stranger',
  });
  const key = JSON.parse(readFileSync(join(bench.dataDir, 'secrets', 'issuer-key.json'), 'utf8'));
  const token = await new SignJWT({ sub: 'stranger', iss: localIssuer, aud: localAudience })
    .setProtectedHeader({ alg: 'ES256', kid: key.kid })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(await importJWK(key.private, 'ES256'));
  stranger = callerOf(bench.app, { authorization: `Bearer ${token}` });
  const made = await stranger('POST', '/api/v1/api-keys', { name: 'ours' });
  strangersKey = callerOf(bench.app, { authorization: `Bearer ${made.body.key}` });
});

describe('another organisation', () => {
  it('gets 404 for every id that is not its own, and nothing changes [TYP-28] [KEY-3]', async () => {
    expect(withIds.length).toBeGreaterThan(20);
    const before = stored();
    for (const { name, row } of withIds) {
      const url = urlOf(row.path, ids);
      const callers = row.access === 'key' ? [stranger, strangersKey] : [stranger];
      for (const call of callers) {
        const { status, body } = await call(row.method, url, row.body === undefined ? undefined : (bodies[name] ?? {}));
        expect([name, status, body.error]).toEqual([name, 404, expect.objectContaining({ code: expect.any(String) })]);
      }
    }
    expect(stored()).toEqual(before);
  });

  it('sees nothing of it in lists, sums and decisions', async () => {
    for (const call of [stranger, strangersKey]) {
      expect((await call('GET', '/api/v1/decision-types')).body).toMatchObject({ items: [], total: 0 });
      expect((await call('GET', '/api/v1/metrics')).body).toMatchObject({ total_decisions: 0, decision_types: [] });
      expect((await call('GET', '/api/v1/credits/usage')).body).toMatchObject({ items: [], total: 0 });
      expect((await call('GET', '/api/v1/credits')).body.used).toBe(0);
      const decided = await call('POST', '/api/v1/decide', { decision_type: 'loan', input: {} });
      expect([decided.status, decided.body.error.code]).toEqual([404, 'decision_type_not_found']);
    }
    expect((await stranger('GET', '/api/v1/api-keys')).body).toHaveLength(1);
    expect((await stranger('POST', '/api/v1/decision-types', { name: 'loan', options: ['a', 'b'] })).status).toBe(201);
  });
});

describe('an id of another decision type', () => {
  it('is 404 below a type that it does not belong to', async () => {
    const { id } = (await bench.call('POST', '/decision-types', { name: 'empty', options: ['approve', 'decline'] }))
      .body;
    for (const { name, row } of withIds) {
      if (!/:decision_type_id\/.*:[a-z_]+_id/.test(row.path)) continue;
      const url = urlOf(row.path, { ...ids, decision_type_id: id }).replace('/api/v1', '') as `/${string}`;
      const { status } = await bench.call(
        row.method as 'GET',
        url,
        row.body === undefined ? undefined : (bodies[name] ?? {}),
      );
      expect([name, status]).toEqual([name, 404]);
    }
  });
});
