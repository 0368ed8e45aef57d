/** The log is decided again by the releases that decided: all of it is as recorded, or the record is listed. */
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../../src/server/command-line/run-command.ts';
import { deployForAll, loanExamples, loanType, openForTest } from '../workbench.ts';

const toInput = (at: number) => ({
  applicant: { score: 300 + ((at * 137) % 500), email: `a${at}@example.org` },
  amount: 1_000 + ((at * 7_919) % 70_000),
  purpose: at % 3 === 0 ? 'car' : 'holiday',
  employed: at % 2 === 0,
});

describe('logged decisions', () => {
  const folder = deployForAll(loanType, loanExamples(40));
  const logs = () => `${folder.url}/logs`;
  const dataDir = () => folder.copy();

  /** Seven releases: rules, thresholds, a fallback, and another policy decide in turn. */
  async function decideBySevenReleases(call: Awaited<ReturnType<typeof openForTest>>['call']) {
    const rule = { name: 'cars', condition: 'ctx.purpose == "car"', then: 'approve', priority: 1 };
    const broken = { name: 'broken', condition: 'ctx.purpose > 5', then: 'approve', priority: 1 };
    const changes: (object | 'rules alone')[] = [
      {},
      { hard_rules: [rule] },
      { confidence_thresholds: { auto_decide: 1, escalation: 0.2 }, fallback_option: 'decline' },
      { hard_rules: [broken] },
      'rules alone',
      { fallback_option: 'approve' },
      { hard_rules: [] },
    ];
    for (const [at, change] of changes.entries()) {
      if (change === 'rules alone') {
        const made = await call('POST', `${folder.url}/policies`, { kind: 'rules_only' });
        await call('POST', `${folder.url}/policies/${made.body.id}/deploy`, { reason: 'to compare' });
      } else if (at > 0) expect((await call('PUT', folder.url, change)).status).toBe(200);
      const inputs = Array.from({ length: 20 }, (_, index) => toInput(at * 20 + index));
      const items = inputs.map((input) => ({ decision_type: 'loan', input }));
      expect((await call('POST', '/api/v1/decide/batch', { decisions: items })).status).toBe(200);
    }
  }

  it('come out as they were recorded after seven releases and a restart, to the last digit [LOG-8]', async () => {
    const first = await openForTest({ dataDir: dataDir() });
    await decideBySevenReleases(first.call);
    const { body: whole } = await first.call('GET', `${logs()}/verification?page_size=100`);
    expect(whole).toEqual({ looked: 100, equal: 100, exact: 100, items: [], total: 140 });
    const some = (await first.call('GET', `${logs()}/verification?page_size=100&share=0.3`)).body;
    expect(some.equal).toBe(some.looked);
    expect(some.looked).toBeLessThan(70);
    await first.close();
    const again = await openForTest({ dataDir: first.dataDir });
    expect((await again.call('GET', `${logs()}/verification?page_size=100&page=2`)).body).toMatchObject({ exact: 40 });
    const release = (items: { release: number }[]) => [...new Set(items.map((each) => each.release))];
    expect(release((await again.call('GET', `${logs()}?page_size=100`)).body.items)).toEqual([7, 6, 5, 4, 3]);
  });
  it('name each field that is not as its release decides [LOG-8]', async () => {
    const { call, deps, dataDir: data, close } = await openForTest({ dataDir: dataDir() });
    const items = Array.from({ length: 12 }, (_, at) => ({ decision_type: 'loan', input: toInput(at) }));
    await call('POST', '/api/v1/decide/batch', { decisions: items });
    const edits = {
      decision: "iif(decision = 'approve', 'decline', 'approve')",
      confidence: 'confidence - 0.0001',
      stage: "'fallback'",
      rules_triggered: `'["other"]'`,
      escalated: '1 - escalated',
      explanation: "explanation || ' '",
      version_number: 'version_number + 1',
    };
    for (const [at, [column, value]] of Object.entries(edits).entries())
      deps.db.exec(`UPDATE decision_logs SET ${column} = ${value} WHERE seq = ${at + 1}`);
    deps.db.exec(
      'UPDATE decision_logs SET release = NULL, version_number = NULL WHERE seq = 8; UPDATE decision_logs SET release = 99 WHERE seq = 9',
    );
    deps.db.exec(`UPDATE decision_logs SET input = json_set(input, '$.amount', 60000) WHERE seq = 10`);
    const { body } = await call('GET', `${logs()}/verification?page_size=100`);
    expect([body.looked, body.equal]).toEqual([12, 2]);
    const found = body.items.map(({ reason, fields }: { reason: string; fields: string[] }) => [reason, fields[0]]);
    expect(found.reverse().slice(0, 9)).toEqual([
      ['differs', 'decision'],
      ['differs', 'confidence'],
      ['differs', 'stage'],
      ['differs', 'rules_triggered'],
      ['differs', 'escalated'],
      ['differs', 'explanation'],
      ['differs', 'decision_type_version'],
      ['no_release', undefined],
      ['unavailable', undefined],
    ]);
    await close();
    expect(await runCommand('verify', ['--decisions', '--data-dir', data], {})).toBe(1);
  });

  it('are explained by their release, whatever is deployed since [LOG-8]', async () => {
    const { call } = await openForTest({ dataDir: dataDir() });
    const input = { ...toInput(1), amount: 60_000 };
    const { body } = await call('POST', '/api/v1/decide', { decision_type: 'loan', input });
    await call('PUT', folder.url, {
      hard_rules: [{ name: 'all', condition: 'ctx.amount > 0', then: 'approve', priority: 1 }],
    });
    const [record] = (await call('GET', logs())).body.items;
    const explained = (await call('POST', `${logs()}/${record.id}/explain`)).body;
    expect([body.decision, explained.decision, explained.release]).toEqual(['decline', 'decline', 1]);
    expect(explained.trace.rules.map(({ name }: { name: string }) => name)).toEqual(['too much']);
  });
});
