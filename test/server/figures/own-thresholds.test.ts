/** Options that take a higher confidence than the others before they are decided alone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unpackBundle } from '../../../src/engine/bundle/bundle.ts';
import { compileDecider } from '../../../src/engine/decide/decider.ts';
import { runGolden } from '../../../src/engine/decide/golden.ts';
import { sha256 } from '../../../src/server/process/clock.ts';
import { makeClaims } from '../../renderer/deployed.ts';
import { makeType, openForTest } from '../workbench.ts';

const base = '/api/v1/decision-types';
const common = { auto_decide: 0.6, escalation: 0.5 };

async function openMail() {
  const opened = await openForTest();
  const thresholds = { ...common, by_option: { reply: 0.9, ignore: 0.95 } };
  const body = { name: 'mail', options: ['answer', 'reply', 'ignore'], confidence_thresholds: thresholds };
  const url = `${base}/${await makeType(opened.call, body)}`;
  const read = async () => (await opened.call('GET', url)).body.active_version.confidence_thresholds;
  return { ...opened, url, thresholds, read };
}

describe('a threshold of an option', () => {
  it('is optional, makes a version like the others, and is taken away by leaving it out [CST-6]', async () => {
    const { call, url, thresholds, read } = await openMail();
    expect(await read()).toEqual(thresholds);
    const put = async (confidence_thresholds: object) =>
      (await call('PUT', url, { confidence_thresholds })).body.active_version;
    expect(await put(thresholds)).toMatchObject({ version_number: 1 });
    expect(await put(common)).toMatchObject({ version_number: 2, confidence_thresholds: common });
    expect(await read()).toEqual(common);
  });

  it.each([
    ['an unknown option', { nobody: 0.9 }, ['nobody']],
    ['no confidence', { reply: 1.1 }, ['reply']],
    ['no number', { reply: '0.9' }, ['reply']],
    ['no option', {}, []],
  ])('is refused at its place where it names %s, and nothing is changed [CST-6]', async (_, by_option, place) => {
    const { call, url, thresholds, read } = await openMail();
    const refused = await call('PUT', url, { confidence_thresholds: { ...common, by_option } });
    const loc = ['body', 'confidence_thresholds', 'by_option', ...place];
    expect([refused.status, refused.body.error.details[0].loc]).toEqual([422, loc]);
    expect(await read()).toEqual(thresholds);
  });

  it.each([
    ['a rename', 'rename', { from: 'reply', to: 'respond' }, { ignore: 0.95, respond: 0.9 }],
    ['a merge, where the higher one stays', 'merge', { from: 'reply', into: 'ignore' }, { ignore: 0.95 }],
    ['a merge into an option without one', 'merge', { from: 'ignore', into: 'answer' }, { reply: 0.9, answer: 0.95 }],
    ['a deletion', 'delete', { option: 'ignore' }, { reply: 0.9 }],
  ])('goes along with %s, and comes back with its undo [CST-6]', async (_, what, body, by_option) => {
    const { call, url, thresholds, read } = await openMail();
    const { undo_token } = (await call('POST', `${url}/options/${what}`, { ...body, commit: true })).body;
    expect(await read()).toEqual({ ...common, by_option });
    await call('POST', `${url}/options/undo`, { undo_token });
    expect(await read()).toEqual(thresholds);
  });

  it('goes with an option that a change of the type takes away [CST-6]', async () => {
    const { call, url, read } = await openMail();
    await call('PUT', url, { options: ['answer', 'ignore'] });
    expect(await read()).toEqual({ ...common, by_option: { ignore: 0.95 } });
    await call('PUT', url, { options: ['answer', 'new'] });
    expect(await read()).toEqual(common);
  });
});

describe('thresholds of options of a deployed policy', () => {
  let folder: Awaited<ReturnType<typeof makeClaims>>;
  beforeAll(async () => {
    folder = await makeClaims();
  });
  afterAll(() => folder.remove());

  async function openClaims() {
    const opened = await openForTest({ dataDir: folder.copy() });
    const { url } = folder;
    const policy = `${url}/policies/${folder.policyId}`;
    const get = async (path: string) => (await opened.call('GET', path)).body;
    const setThresholds = (confidence_thresholds: object) => opened.call('PUT', url, { confidence_thresholds });
    return { ...opened, url, policy, get, setThresholds };
  }

  it('send on what does not reach them, in decisions as in every figure, and leave other options alone [CST-7]', async () => {
    const { call, policy, get, setThresholds } = await openClaims();
    const decide = async (proof: number) => {
      const input = { proof, amount: 400, online: true, shop: { country: 'DE' } };
      return (await call('POST', '/api/v1/decide', { decision_type: 'claims', input })).body;
    };
    await setThresholds(common);
    const [paid, refused] = [await decide(90), await decide(20)];
    expect([paid, refused]).toMatchObject([
      { decision: 'pay', escalate: false },
      { decision: 'refuse', escalate: false },
    ]);
    await setThresholds({ ...common, by_option: { pay: 1 } });
    const flagged = await decide(90);
    expect(flagged).toMatchObject({ decision: 'pay', escalate: true, confidence: paid.confidence });
    expect(flagged.explanation).toMatch(/between the escalation threshold 0\.5 and the automatic threshold 1;/);
    expect(await decide(20)).toMatchObject({ decision: 'refuse', escalate: false });

    type Row = { predicted: string; confidence: number };
    const rows: Row[] = (await get(`${policy}/held-out?page_size=100`)).items;
    const alone = rows.filter(({ predicted, confidence }) => predicted === 'refuse' && confidence >= 0.6).length;
    const { automatic, escalated } = await get(`${policy}/whole-decision`);
    expect([automatic.count, escalated.count]).toEqual([alone, rows.length - alone]);
    // What is tried beside them keeps them.
    expect((await get(`${policy}/whole-decision?auto_decide=0.55`)).confidence_thresholds).toEqual({
      ...common,
      auto_decide: 0.55,
      by_option: { pay: 1 },
    });
    // Other ones are tried instead, none too, before they are kept.
    const tryOwn = (own: object) =>
      get(`${policy}/whole-decision?by_option=${encodeURIComponent(JSON.stringify(own))}`);
    expect((await tryOwn({ refuse: 1 })).automatic.count).toBe(
      rows.filter(({ predicted, confidence }) => predicted === 'pay' && confidence >= 0.6).length,
    );
    expect((await tryOwn({})).confidence_thresholds).toEqual(common);
    expect((await tryOwn({ nobody: 1 })).error.details[0].loc).toEqual(['query', 'by_option', 'nobody']);
  });

  it('travel in the bundle, whose card names them; without them its manifest has no such key [CST-7]', async () => {
    const { token, app, url, setThresholds } = await openClaims();
    const exportBundle = async () => {
      const headers = { authorization: `Bearer ${token}`, host: '127.0.0.1' };
      return unpackBundle((await app.inject({ url: `${url}/export?slim=true`, headers })).rawPayload, sha256);
    };
    await setThresholds(common);
    expect(Object.keys((await exportBundle()).manifest.confidence_thresholds)).toEqual(['auto_decide', 'escalation']);
    await setThresholds({ ...common, by_option: { pay: 0.97 } });
    const bundle = await exportBundle();
    expect(bundle.manifest.confidence_thresholds).toEqual({ ...common, by_option: { pay: 0.97 } });
    expect(bundle.modelCard).toContain('The classifier decides alone from a confidence of 0.6, pay from 0.97.');
    const decider = compileDecider(bundle, { encoder: null, tokenizer: null, now: () => 0 });
    const { checked, failures } = await runGolden(bundle, decider);
    expect([checked > 10, failures]).toEqual([true, []]);
    const paid = bundle.golden.filter(({ output }) => output.decision === 'pay' && output.stage === 'classifier');
    expect(paid.every(({ output }) => output.escalate === output.confidence < 0.97)).toBe(true);
  });

  it('leave no promise said to be kept, and are taken away where one is asked for again [CST-8]', async () => {
    const { call, policy, get, setThresholds } = await openClaims();
    const terms = { target_error: 0.3, certainty: 0.9 };
    expect((await call('PUT', `${policy}/promise`, terms)).status).toBe(200);
    const promised = (await get(folder.url)).active_version.confidence_thresholds;
    await setThresholds({ ...promised, by_option: { pay: 1 } });
    const { promise } = await get(policy);
    expect(promise).toMatchObject({ state: 'unknown', now: { error_bound: 1 } });
    expect(promise.sentence).toMatch(/options have thresholds of their own, and it is tested over one for all/);
    expect((await get(folder.url)).declared_promise).toMatchObject({ state: 'not_kept' });
    await call('PUT', `${policy}/promise`, terms);
    expect((await get(policy)).promise.state).toBe('kept');
    expect((await get(folder.url)).active_version.confidence_thresholds).toEqual(promised);
  });
});
