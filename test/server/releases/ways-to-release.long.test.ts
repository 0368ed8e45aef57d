/** Every way to a release passes one verdict: the same sentence holds it, and the same reason lets it through. */
import { cpSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Call,
  callerOf,
  deployForAll,
  loanExamples,
  loanType,
  openForTest,
  quickly,
  sendForm,
  startWorkbench,
  temporaryFolder,
  train,
} from '../workbench.ts';

const type = { ...loanType, fallback_option: 'decline' };
const [tooMuch] = loanType.rules;
const approveAll = { name: 'approve all', condition: 'ctx.amount < 50000', then: 'approve', priority: 9 };
/** Held out are these rows in every training, so that policies that learned other labels share them. */
const examples = loanExamples(60).map((example, i) => ({ ...example, test: i % 5 === 0 }));
/** Kept by everything that is tried here: a rule decides it. */
const kept = { input: { amount: 60_000, applicant: { score: 790 } }, decision: 'decline', must: true };
const red = { input: { amount: 60_000, applicant: { score: 790 } }, decision: 'approve', must: true };

type Base = { dataDir: string; good: string; worse: string; rules: string; versions: string[]; bundle: Buffer };
/** `cutReportsOff` leaves each report as the end of the program does while it is being completed. */
type Bench = Base & { call: Call; url: string; cutReportsOff: () => void };
/** What is released: as good as what decides, certainly worse, or never measured beside it. */
type Candidate = 'good' | 'worse' | 'unmeasured';
type Way = (bench: Bench, candidate: Candidate, reason: string | null) => ReturnType<Call>;

const settings = {
  good: { hard_rules: [tooMuch], confidence_thresholds: { auto_decide: 0.8, escalation: 0.6 } },
  worse: { hard_rules: [tooMuch, approveAll] },
};

const ways: Record<string, { of: readonly Candidate[]; release: Way }> = {
  'publishing a draft': {
    of: ['good', 'worse'],
    async release({ call, url }, candidate, reason) {
      await call('PUT', url, { ...settings[candidate as 'good'], draft: true });
      return call('POST', `${url}/releases`, { reason });
    },
  },
  'deploying a policy': {
    of: ['good', 'worse'],
    release({ call, url, good, worse }, candidate, reason) {
      const id = candidate === 'good' ? good : worse;
      return call('POST', `${url}/policies/${id}/deploy`, reason === null ? undefined : { reason });
    },
  },
  'going back to a version': {
    of: ['good', 'worse'],
    release: ({ call, url, versions }, candidate, reason) =>
      call('POST', `${url}/versions/${versions[candidate === 'good' ? 0 : 1]}/restore`, { reason }),
  },
  'going back to a release': {
    of: ['good', 'worse'],
    release: ({ call, url }, candidate, reason) =>
      call('POST', `${url}/releases`, { release: candidate === 'good' ? 1 : 2, reason }),
  },
  'importing a bundle': {
    of: ['unmeasured'],
    release: ({ call, url, bundle }, _candidate, reason) =>
      sendForm(
        call,
        `${url}/policies/import`,
        new File([new Uint8Array(bundle)], 'loan.zip'),
        reason === null ? {} : { reason },
      ),
  },
  'deploying by an agent': {
    of: ['good', 'unmeasured', 'worse'],
    async release({ call, url, good, worse, rules }, candidate, reason) {
      const policy_id = { good, worse, unmeasured: rules }[candidate];
      const args = { decision_type_id: url.split('/').at(-1), policy_id, ...(reason === null ? {} : { reason }) };
      const params = { name: 'deploy_policy', arguments: args };
      const headers = { accept: 'application/json, text/event-stream' };
      const answer = await call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
      const { result } = JSON.parse(answer.text.replace(/^(?:.*\n)*?data: /, ''));
      const [{ text }] = result.content;
      return { ...answer, status: result.isError ? 409 : 200, body: { error: { message: text } } };
    },
  },
};

/** What is there beside the candidate, the sentence that then holds it, and the one that is only noted. */
type Situation = {
  with: Candidate[];
  prepare: (bench: Bench) => Promise<unknown>;
  holds: RegExp | null;
  notes?: string;
};
const situations: Record<string, Situation> = {
  alright: { with: ['good'], prepare: async () => null, holds: null },
  'nothing was measured': { with: ['unmeasured'], prepare: async () => null, holds: null },
  'something is not known yet': {
    with: ['good'],
    prepare: async ({ cutReportsOff }) => cutReportsOff(),
    holds: null,
    notes: 'Not known yet: which labels are suspect.',
  },
  'a pinned case is red': {
    with: ['good', 'unmeasured'],
    prepare: ({ call, url }) => call('POST', `${url}/examples`, { examples: [red] }),
    holds: /^Must: “amount: 60000, applicant.score: 790” → approve, decides decline\./,
  },
  'the promise is broken': {
    with: ['good', 'unmeasured'],
    prepare: ({ call, url }) => call('PUT', `${url}/promise`, { target_error: 0.001 }),
    holds: /^The promise of at most 0\.1% wrong with 95% certainty is not kept\./,
  },
  'it is worse': {
    with: ['worse'],
    prepare: ({ call, url }) => call('POST', `${url}/examples`, { examples: [kept] }),
    holds: /^Fewer unseen examples are decided correctly: 100% → \d+(?:\.\d+)?%\./,
  },
};

describe('a release', () => {
  const folder = deployForAll(type, examples);
  const base: Partial<Base> = {};

  beforeAll(async () => {
    Object.assign(base, await prepare());
  });

  /** Makes policies and versions to release: v1 decides, first and third release, between them as nobody wants it. */
  async function prepare(): Promise<Base> {
    const { app, token, stop } = await startWorkbench(folder.dataDir);
    const call = callerOf(app, { authorization: `Bearer ${token}` });
    const { url } = folder;
    const list = (page: number) => call('GET', `${url}/examples?page_size=100&page=${page}`);
    const rows = (await Promise.all([list(1), list(2)])).flatMap(({ body }) => body.items);
    const relabel = async (decision: string, from: string) => {
      const ids = rows.flatMap((row) => (row.test || row.expected_decision !== from ? [] : [row.id]));
      const { status, body } = await call('POST', `${url}/examples/bulk`, { ids, action: 'set_decision', decision });
      expect(status).toBe(200);
      return () => call('POST', `${url}/examples/undo`, { undo_token: body.undo_token });
    };
    const makePolicy = () => train(call, url, { ...quickly, auto_deploy: false });
    const undo = [await relabel('approve', 'decline'), await relabel('decline', 'approve')];
    const worse = await makePolicy();
    for (const each of undo.reverse()) await each();
    const good = await makePolicy();
    const { body: rules } = await call('POST', `${url}/policies`, { kind: 'rules_only' });
    await call('PUT', url, settings.worse);
    await call('PUT', url, { hard_rules: [tooMuch], confidence_thresholds: { auto_decide: 0.9, escalation: 0.6 } });
    const { body: versions } = await call('GET', `${url}/versions`);
    const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
    const { rawPayload } = await app.inject({ url: `${url}/export?slim=true`, headers });
    await stop();
    const ids: string[] = versions.map(({ id }: { id: string }) => id);
    const oldestFirst = versions[0].version_number === 1 ? ids : ids.reverse();
    return { dataDir: folder.dataDir, good, worse, rules: rules.id, bundle: rawPayload, versions: oldestFirst };
  }

  const open = async (): Promise<Bench> => {
    const known = base as Base;
    const dataDir = temporaryFolder();
    cpSync(known.dataDir, dataDir, { recursive: true });
    const { call, deps } = await openForTest({ dataDir });
    const cutReportsOff = () => {
      deps.db.prepare("UPDATE policies SET metrics = json_set(metrics, '$.follow_up.state', 'pending')").run();
    };
    return { ...known, dataDir, call, url: folder.url, cutReportsOff };
  };

  it.each(Object.entries(situations))('is judged alike by every way, where %s [REL-16]', async (name, situation) => {
    const { with: candidates, prepare: change, holds, notes } = situation;
    const bench = await open();
    const releases = async () => (await bench.call('GET', `${bench.url}/releases`)).body.items;
    await change(bench);
    const before = await releases();
    if (notes) {
      const policy = `${bench.url}/policies/${bench.good}`;
      const [{ body }, report] = [await bench.call('GET', policy), await bench.call('GET', `${policy}/report`)];
      expect(body.verdict).toContainEqual({ kind: 'report', state: 'warning', sentence: notes });
      expect(report.text).toContain(notes);
    }
    const tried = Object.entries(ways).flatMap(([way, { of, release }]) => {
      const candidate = candidates.find((each) => of.includes(each));
      return candidate === undefined ? [] : [{ way, release: (why: string | null) => release(bench, candidate, why) }];
    });
    const remedy = 'To release it anyway, give a reason: it stays in the history.';
    for (const { way, release } of tried) {
      if (holds === null) break;
      const { status, body } = await release(null);
      expect([way, status, body.error.message]).toEqual([way, 409, expect.stringMatching(holds)]);
      expect(body.error.message).toContain(remedy);
    }
    expect(holds === null || (await releases()).length === before.length).toBe(true);
    // What was released decides afterwards, so that another one is worse than it no more.
    for (const { way, release } of name === 'it is worse' ? tried.slice(0, 1) : tried) {
      const reason = holds === null ? null : `${way}, as the bank closes`;
      const { status, text } = await release(reason);
      expect([way, status]).toEqual([way, expect.toBeOneOf([200, 201])]);
      expect(way === 'deploying by an agent' ? text : (notes ?? '')).toContain(notes ?? '');
      const [{ reason: kept, changes }] = await releases();
      const over = changes.filter((change: string) => change.startsWith('Released anyway: '));
      if (holds === null) expect([way, over]).toEqual([way, notes ? [`Released anyway: ${notes}`] : []]);
      else
        expect([way, kept, over[0].slice('Released anyway: '.length)]).toEqual([
          way,
          reason,
          expect.stringMatching(holds),
        ]);
    }
  });
});
