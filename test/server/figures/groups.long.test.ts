/** Groups that must not be harmed: declared on a type, measured for its policy, and asked about before a release. */
import { describe, expect, it } from 'vitest';
import type { GroupReport } from '../../../src/engine/report/groups.ts';
import { deployForAll, loanExamples, loanType, openForTest, sendForm } from '../workbench.ts';

describe('Groups of a decision type that must not be harmed', () => {
  const folder = deployForAll(loanType, loanExamples(40));

  async function open() {
    const bench = await openForTest({ dataDir: folder.copy() });
    const policy = `${folder.url}/policies/${folder.policyId}`;
    const read = async (): Promise<GroupReport[]> => (await bench.call('GET', `${policy}/whole-decision`)).body.groups;
    const verdict = async () =>
      (await bench.call('GET', policy)).body.verdict.filter(({ kind }: { kind: string }) => kind === 'groups');
    return { ...bench, policy, read, verdict, url: folder.url };
  }

  it('are compared by fields that are learned or not, and hold a release that certainly harms one [GRP-1] [GRP-2]', async () => {
    const { call, url, policy, read, verdict } = await open();
    expect([await read(), await verdict()]).toEqual([[], []]);
    const refused = await call('PUT', url, { groups: { fields: ['employed'], favoured: 'maybe' } });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('"favoured"')]);

    const groups = { fields: ['employed', 'purpose'], favoured: 'approve', min_ratio: 0.8, max_error: null };
    const set = await call('PUT', url, { groups });
    expect([set.status, set.body.groups]).toEqual([200, groups]);
    const rows = (await call('GET', `${policy}/held-out?page_size=100`)).body.items;
    const [employed, purpose] = await read();
    const ofFalse = rows.filter(({ input }: { input: { employed: boolean } }) => !input.employed);
    expect(employed?.groups.find(({ name }) => name === 'false')).toMatchObject({
      rows: ofFalse.length,
      options: [{ option: 'approve', given: { count: 0, of: ofFalse.length } }],
    });
    expect(purpose?.groups.map(({ name }) => name).sort()).toEqual(['"car"', '"home"', '"study"']);
    expect(employed).toMatchObject({ state: 'blocking', ratios: [{ ratio: 0, least: { group: 'false', share: 0 } }] });
    expect(await verdict()).toEqual([
      { kind: 'groups', state: 'blocking', sentence: employed?.sentence },
      { kind: 'groups', state: purpose?.state, sentence: purpose?.sentence },
    ]);

    await call('PUT', url, { confidence_thresholds: { auto_decide: 0.7, escalation: 0.5 }, draft: true });
    const held = await call('POST', `${url}/releases`, {});
    expect([held.status, held.body.error.message]).toEqual([409, expect.stringContaining('«approve» goes to 0%')]);
    expect((await call('POST', `${url}/releases`, { reason: 'Income is asked for by law.' })).status).toBe(201);
    const tried = await call('GET', `${policy}/whole-decision?auto_decide=1&escalation=0`);
    expect(tried.body.groups[0].groups[0].automatic.count).toBeLessThan(employed?.groups[0]?.automatic?.count ?? 0);
  });

  it('stand in report and case file, and names of a personal field nowhere [GRP-3]', async () => {
    const { call, url, policy, read } = await open();
    await call('PUT', url, { groups: { fields: ['purpose'] } });
    const input = { applicant: { score: 700, email: 'a@example.org' }, amount: 4_000, purpose: 'car', employed: true };
    await call('POST', '/api/v1/decide', { decision_type: 'loan', input });
    const [record] = (await call('GET', `${url}/logs`)).body.items;
    const readCase = async (query = '') => (await call('GET', `${url}/logs/${record.id}/case${query}`)).text;
    const report = async () => (await call('GET', `${policy}/report`)).text.replaceAll(/<\/?bdi>/g, '');
    const [first] = await read();
    expect(await report()).toContain('<h2>How it treats groups</h2>');
    expect(await report()).toContain('<th scope="row">&quot;study&quot;</th>');
    expect(JSON.parse(await readCase()).groups).toMatchObject([{ field: 'purpose', ratio: first?.ratios[0]?.ratio }]);
    expect(await readCase('?format=html&language=de')).toMatch(/Nach <bdi>purpose<\/bdi> erhalten .*(car|home|study)/);

    await call('PUT', url, { pii_fields: ['purpose'] });
    const [masked] = await read();
    expect(masked?.ratios.map(({ ratio }) => ratio)).toEqual(first?.ratios.map(({ ratio }) => ratio));
    expect(masked?.groups.every(({ name }) => /^"pii:[0-9a-f]{24}"$/.test(name))).toBe(true);
    expect(await report()).not.toMatch(/&quot;(car|home|study)&quot;/);
    expect(JSON.parse(await readCase()).groups).toMatchObject([{ least: { group: null }, most: { group: null } }]);
  });

  it('keep their option through a rename and its undo, and come along in an archive [GRP-3]', async () => {
    const { call, url, app, token } = await open();
    const favoured = async () => (await call('GET', url)).body.groups.favoured;
    await call('PUT', url, { groups: { fields: ['purpose'], favoured: 'approve', max_error: 0.1 } });
    const renamed = await call('POST', `${url}/options/rename`, { from: 'approve', to: 'grant', commit: true });
    expect([renamed.status, await favoured()]).toEqual([200, 'grant']);
    await call('POST', `${url}/options/undo`, { undo_token: renamed.body.undo_token });
    expect(await favoured()).toBe('approve');
    const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
    const archive = await app.inject({ url: `${url}/archive`, headers });
    const other = await openForTest();
    const file = new File([Uint8Array.from(archive.rawPayload)], 'loan.zip');
    const moved = await sendForm(other.call, '/api/v1/decision-types/import', file);
    expect(moved.body.decision_type.groups).toEqual((await call('GET', url)).body.groups);
  });
});
