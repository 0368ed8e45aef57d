/**
 * Work per stored row: every operation of the contract on a folder with much in it. The table says what bounds its work
 * there; an operation without a row is red. Whatever the bound, nobody waits longer for it than for a call at the limits
 * of its bytes.
 */
import { expect, it } from 'vitest';
import { labellingQueues } from '../../../src/server/contract/examples/examples.ts';
import type { Operation } from '../../../src/server/contract/operation.ts';
import { listOperations, type OperationName } from '../../../src/server/contract/operations.ts';
import { deployForAll, forAll, loanExamples, loanType } from '../../server/workbench.ts';
import { measureMainThreadMs, runBeside, send } from '../tools/beside-calls.ts';
import { startServerProcess } from '../tools/server-process.ts';
import { fillLog } from '../tools/storage/full-log.ts';
import { fillStore } from '../tools/storage/full-store.ts';

/** `WORK_ROWS=200000` is as many as a type may have. */
const rows = Number(process.env['WORK_ROWS'] ?? 20_000);
/** As long as a person takes for at once. */
const maxWaitMs = 100;
/** A wait is measured again where something else came between. */
const maxMeasurements = 3;

/** What bounds the work of each operation in what is stored. */
const bounds = {
  'what the call names, found by an index': `
    decide decide.batch models.ask_systemone models.ask_decisions questions.bind questions.forget
    examples.create examples.cancel examples.get examples.update examples.delete examples.labels examples.suggest
    examples.similar examples.explain second_readings.give imports.get imports.cancel
    logs.correct logs.explain logs.case decision_types.create decision_types.get versions.get versions.restore
    drafts.get drafts.put drafts.delete policies.create policies.get policies.progress policies.cancel policies.deploy
    policies.keep_promise policies.withdraw_promise bundle.export bundle.export_page promises.get
    promises.withdraw aliases.set aliases.delete releases.create audit.get account.me account.update
    organisation.update session.create api_keys.create api_keys.delete connections.create connections.delete
    connections.test billing.plans billing.set_plan clock.get clock.confirm system.root system.health
    system.ready system.openapi system.jwks samples.list samples.create rules.check credits.balance
    teacher_labelling.get teacher_labelling.cancel events.stream logs.import alerts.get alerts.set alerts.test
  `,
  'a page, or counts that are kept or indexed': `
    activity.list examples.list examples.next examples.trained examples.stats examples.numbers agreement.get
    decision_types.list credits.usage logs.list deployments.list releases.list pinned_cases.list
    metrics.type metrics.days training.readiness teacher_labelling.start examples.generate
  `,
  'a list with a limit of its own': `
    policies.list versions.list api_keys.list connections.list text_models.list backups.list questions.list
    models.list
  `,
  'held-out rows: a fifth of at most 200,000, counted once for what decides': `
    policies.whole policies.report policies.costs policies.promise policies.compare policies.held_out
    promises.declare
  `,
  'turns for others between its parts': `
    metrics.organisation system.metrics examples.export logs.export examples.import rules.propose
    policies.replay logs.verify decision_types.update text_models.delete second_readings.draw imports.commit
    logs.restore decision_types.restore decision_types.delete pii_residue.clear
    examples.bulk examples.undo options.rename options.merge options.delete options.undo
  `,
  'a process of its own': `
    data_findings.list policies.slices policies.try_rules metrics.drift rules.analyse decision_types.archive
    decision_types.import policies.import imports.begin imports.choose imports.rows text_models.add backups.create backups.verify backups.restore
  `,
  'one transaction over at most 200,000 examples of a type': `
    training.start
  `,
} as const;

/** What is sent to an operation with a body, so that it does its work. */
const bodies: Partial<Record<OperationName, object>> = {
  decide: { decision_type: loanType.name, input: { amount: 1_200 } },
  'examples.create': { examples: [{ input: { amount: 1_200 } }] },
  'examples.update': { note: 'seen' },
  'examples.bulk': { action: 'set_reviewed', filter: {}, reviewed: true },
  'second_readings.draw': { share: 0.1 },
  'logs.correct': { decision: 'approve' },
  'rules.analyse': { rules: [{ name: 'low', condition: 'ctx.amount > 1500', then: 'approve' }] },
  'policies.try_rules': { rules: [{ name: 'low', condition: 'ctx.amount > 1500', then: 'approve' }] },
  'policies.create': { kind: 'rules_only' },
  'decision_types.update': { fallback_option: 'approve' },
  'promises.declare': { target_error: 0.05 },
  'options.rename': { from: 'approve', to: 'accept', commit: true },
  'training.start': {},
};

/** The most that a query may ask for, where the answer is a page of it. */
const queries: Partial<Record<OperationName, string[]>> = {
  'examples.list': ['page_size=100&page=100', 'search=12&sort=amount', 'status=done'],
  'examples.next': labellingQueues.map((queue) => `queue=${queue}&count=50`),
  'logs.list': ['page_size=100&page=10'],
};

const folder = deployForAll(loanType, loanExamples(40));
const typeId = () => folder.url.split('/').at(-1) ?? '';
const server = forAll(
  () => {
    fillStore(folder.dataDir, { typeId: typeId(), policyId: folder.policyId }, rows);
    // A type in twenty of the records is another one.
    const typeSeqAt = (index: number) => (index % 20 === 19 ? 2 + (index % 100) : 1);
    const inputs = [
      { amount: 1_200, purpose: 'car' },
      { amount: 60_000, note: 'A bridge loan.' },
    ];
    fillLog(folder.dataDir, { count: rows, typeSeqAt, inputs, options: ['approve', 'decline'] });
    return startServerProcess(folder.dataDir);
  },
  ({ end }) => end('SIGKILL'),
);
const call = (method: string, path: string, body?: object) =>
  send(
    { port: server.port, key: folder.key },
    method,
    path,
    body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  );
const pid = () => server.child.pid ?? 0;

/** How long others wait at most beside a call, in processor time of the thread that answers. */
async function measureWait(row: Operation, path: string, body?: object): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let left = maxMeasurements; left > 0 && leastMs >= maxWaitMs; left -= 1) {
    const look = () => call('GET', '/health');
    const asked = call(row.method, path, body);
    const { value, smallCallMs } = await runBeside(asked, look, pid(), () => measureMainThreadMs(pid()));
    expect(value.status, `${path}: ${value.text.slice(0, 300)}`).not.toBe(500);
    leastMs = Math.min(leastMs, smallCallMs.at(-1) ?? 0);
  }
  return leastMs;
}

it('every operation says what bounds its work in what is stored [LRG-7]', () => {
  const named = Object.values(bounds).flatMap((names) => names.trim().split(/\s+/));
  expect(named.toSorted()).toEqual(
    listOperations()
      .map(({ name }) => String(name))
      .toSorted(),
  );
});

it.skipIf(process.platform !== 'linux')(`nobody waits for a call about ${rows} rows [LRG-7]`, async () => {
  const base = `/api/v1/decision-types/${typeId()}`;
  const decisions = Array.from({ length: 50 }, (_, n) => ({ decision_type: loanType.name, input: { amount: n } }));
  for (let batch = 0; batch < 60; batch += 1) await call('POST', '/api/v1/decide/batch', { decisions });
  const first = async (path: string) => JSON.parse((await call('GET', `${base}/${path}`)).text);
  const ids: Record<string, string> = {
    decision_type_id: typeId(),
    policy_id: folder.policyId,
    log_id: (await first('logs')).items[0].id,
    example_id: (await first('examples')).items[0].id,
    version_id: (await first('versions'))[0].id,
  };
  // The document is written once, however much is stored.
  await call('GET', '/openapi.json');
  const waits: string[] = [];
  for (const { name, row } of listOperations()) {
    const body = bodies[name];
    if (name === 'events.stream' || row.method === 'DELETE' || (row.body !== undefined && body === undefined)) continue;
    const path = row.path.replace(/:(\w+)/g, (_, part: string) => ids[part] ?? crypto.randomUUID());
    for (const query of queries[name] ?? ['']) {
      const waitMs = await measureWait(row, query === '' ? path : `${path}?${query}`, body);
      if (waitMs >= maxWaitMs) waits.push(`${name} ${query}: ${Math.round(waitMs)} ms`);
    }
  }
  expect(waits).toEqual([]);
});
