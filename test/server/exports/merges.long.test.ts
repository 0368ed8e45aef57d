/** Exported examples on their way back: into a fresh type, into the same one after changes, and from a second copy. */
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  type Call,
  deployForAll,
  loanExamples,
  loanType,
  makeType,
  openForTest,
  sendForm,
} from '../workbench.ts';

const types = '/api/v1/decision-types';
const deployed = deployForAll(loanType, loanExamples(40));

async function open() {
  const { call } = await openForTest();
  const url = `${types}/${await makeType(call, { reason_codes: ['A', 'B'] })}/examples`;
  return { call, url };
}

/** Some examples in every state, of inputs that tables do not keep by themselves. */
async function fill(call: Call, url: string): Promise<string[]> {
  const examples = [
    { input: { code: '007', amount: 5, 'a.b': true, deep: { list: [1, 'x'] } }, decision: 'yes', reason_codes: ['A'] },
    { input: { code: '=1+1', amount: '5' }, decision: 'no', test: true },
    { input: { code: ' total ', text: 'two\nlines' } },
    { input: { code: '007', amount: 5, 'a.b': true, deep: { list: [1, 'x'] } } },
  ];
  const { body } = await call('POST', url, { examples });
  const ids: string[] = body.map((example: { id: string }) => example.id);
  await call('PATCH', `${url}/${ids[0]}`, { reviewed: true, note: 'clear' });
  await call('PATCH', `${url}/${ids[2]}`, { status: 'flagged', note: 'ask' });
  return ids;
}

const readFile = async (call: Call, url: string, format: string) =>
  (await call('GET', `${url}/export?format=${format}`)).text;
const importText = (call: Call, url: string, content: string, fields: object = {}): Promise<Answer> =>
  call('POST', `${url}/import`, { content, commit: true, ...fields });
const list = async (call: Call, url: string) => (await call('GET', url)).body.items;
const toKept = ({ decision_type_id: _, ...example }: Record<string, unknown>) => example;

describe('An export of examples', () => {
  it('gives a fresh type the same examples, with ids, labels and times, from every format [XPT-9]', async () => {
    const { app, call, token } = await openForTest();
    const from = `${types}/${await makeType(call, { reason_codes: ['A', 'B'] })}/examples`;
    await fill(call, from);
    const before = (await list(call, from)).map(toKept);
    for (const format of ['csv', 'xlsx', 'parquet', 'jsonl']) {
      const answer = await app.inject({
        ...{ method: 'GET', url: `${from}/export?format=${format}` },
        headers: { host: '127.0.0.1', authorization: `Bearer ${token}` },
      });
      const copy = await open();
      const file = new File([new Uint8Array(answer.rawPayload)], `examples.${format}`);
      const { status, body } = await sendForm(copy.call, `${copy.url}/import`, file, { commit: 'true' });
      expect([format, status, body.merge]).toMatchObject([format, 200, { added: 4, changed: 0, conflicts: 0 }]);
      expect((await list(copy.call, copy.url)).map(toKept)).toEqual(before);
    }
  });

  it('gives a fresh type and a second copy who gave each label, second readings and their agreement [XPT-13]', async () => {
    const mine = await open();
    const ids = await fill(mine.call, mine.url);
    const labels = async ({ call, url }: typeof mine, id = '') => (await call('GET', `${url}/${id}/labels`)).body.items;
    const agreement = async ({ call, url }: typeof mine) =>
      (await call('GET', url.replace(/examples$/, 'agreement'))).body;
    const give = (id: string | undefined, expected_decision: string, reader: string, note?: string) =>
      mine.call('PATCH', `${mine.url}/${id}`, { expected_decision, reader, ...(note && { note }) });
    await give(ids[2], 'yes', 'Jana');
    await give(ids[3], 'no', 'Jana');
    const early = await readFile(mine.call, mine.url, 'jsonl');
    await mine.call('POST', `${mine.url}/second-readings`, { ids: ids.slice(1) });
    for (const [id, expected_decision] of [
      [ids[1], 'no'],
      [ids[2], 'no'],
      [ids[3], 'yes'],
    ] as const) {
      const reading = { expected_decision, reader: 'Milo', note: 'blind' };
      expect((await mine.call('PUT', `${mine.url}/${id}/second-reading`, reading)).status).toBe(200);
    }
    await give(ids[3], 'yes', 'Sofia', 'settled');
    const told = await agreement(mine);
    expect(told).toMatchObject({ rows: 3, agreed: 1, conflicts: 1, settled: 1 });
    const csv = await readFile(mine.call, mine.url, 'csv');
    for (const content of [csv, await readFile(mine.call, mine.url, 'jsonl')]) {
      const copy = await open();
      expect((await importText(copy.call, copy.url, content)).body.merge).toMatchObject({ added: 4 });
      expect(await agreement(copy)).toEqual(told);
      expect((await list(copy.call, copy.url)).map(toKept)).toEqual((await list(mine.call, mine.url)).map(toKept));
      expect(await labels(copy, ids[3])).toMatchObject([{ decision: 'yes', reader: 'Sofia' }]);
      expect(await readFile(copy.call, copy.url, 'csv')).toBe(csv);
    }
    // A copy from before the second reading takes it, with the label that settled a conflict and who gave that.
    const other = await open();
    await importText(other.call, other.url, early);
    expect(await agreement(other)).toMatchObject({ rows: 0 });
    const later = await importText(other.call, other.url, csv, { on_conflict: 'take' });
    expect(later.body.merge).toMatchObject({ added: 0, conflicts: 1 });
    expect(await agreement(other)).toEqual(told);
    expect((await labels(other, ids[3]))[0]).toMatchObject({ decision: 'yes', reader: 'Sofia' });
  });

  it('changes the examples of its ids as its cells were changed, adds new rows and doubles none [XPT-9]', async () => {
    const { call, url } = await open();
    const ids = await fill(call, url);
    const csv = await readFile(call, url, 'csv');
    expect((await importText(call, url, csv)).body.merge).toMatchObject({ added: 0, changed: 0, unchanged: 4 });
    const header = csv.split('\r\n')[0] ?? '';
    const added = header.split(',').map((name) => ({ expected_decision: 'no', amount: '9' })[name] ?? '');
    const edited = `${csv.replace(`${ids[2]},,`, `${ids[2]},yes,`)}${added.join(',')}\r\n`;
    const preview = await importText(call, url, edited, { commit: false });
    expect(preview.body.merge).toMatchObject({ added: 1, changed: 1, unchanged: 3, conflicts: 0 });
    expect((await list(call, url)).length).toBe(4);
    expect((await importText(call, url, edited)).status).toBe(200);
    const after = await list(call, url);
    expect(after.length).toBe(5);
    expect(after.find(({ id }: { id: string }) => id === ids[2])).toMatchObject({
      expected_decision: 'yes',
      note: 'ask',
    });
    expect(after[0]).toMatchObject({ expected_decision: 'no', input_payload: { amount: 9 } });
    const unknown = csv.replace(`${ids[2]},,`, `${ids[2]},perhaps,`);
    expect((await importText(call, url, unknown)).body.error.details[0].msg).toContain('"perhaps" is not an option');
  });

  it('from a second copy asks about labels that differ, and settles them as it is told [XPT-10]', async () => {
    for (const [choice, expected] of [
      ['keep', { expected_decision: 'yes' }],
      ['take', { expected_decision: 'no' }],
      ['flag', { expected_decision: null, status: 'flagged', note: 'Here: yes. In the file: no.\nask' }],
    ] as const) {
      const [mine, theirs] = [await open(), await open()];
      const ids = await fill(mine.call, mine.url);
      await importText(theirs.call, theirs.url, await readFile(mine.call, mine.url, 'jsonl'));
      const label = (copy: typeof mine, id: string | undefined, decision: string) =>
        copy.call('PATCH', `${copy.url}/${id}`, { expected_decision: decision });
      await label(mine, ids[2], 'yes');
      await label(theirs, ids[2], 'no');
      await label(theirs, ids[3], 'no');
      const file = await readFile(theirs.call, theirs.url, 'csv');
      const refused = await importText(mine.call, mine.url, file);
      expect([refused.status, refused.body.error.details[0].loc]).toEqual([422, ['body', 'on_conflict']]);
      const shown = await importText(mine.call, mine.url, file, { commit: false });
      expect(shown.body.merge.items).toMatchObject([{ example_id: ids[2], about: 'label', here: 'yes', there: 'no' }]);
      expect((await importText(mine.call, mine.url, file, { on_conflict: choice })).status).toBe(200);
      const after = await list(mine.call, mine.url);
      expect(after.length).toBe(4);
      const find = (id: string | undefined) => after.find((example: { id: string }) => example.id === id);
      expect(find(ids[2])).toMatchObject(expected);
      expect(find(ids[3])).toMatchObject({ expected_decision: 'no' });
    }
  });

  it('never changes what a policy is measured by [XPT-11]', async () => {
    const { call } = await openForTest({ dataDir: deployed.copy() });
    const { url, policyId } = deployed;
    const measure = async () => (await call('GET', `${url}/policies/${policyId}/whole-decision`)).body.accuracy;
    const before = await measure();
    const lines = (await readFile(call, `${url}/examples`, 'jsonl')).trim().split('\n');
    const sides = new Set(lines.map((line) => JSON.parse(line).side));
    expect([...sides].sort()).toEqual(['held_out', 'learned']);
    const other = lines.map((line) => {
      const { expected_decision: label, ...example } = JSON.parse(line);
      return JSON.stringify({ ...example, expected_decision: label === 'approve' ? 'decline' : 'approve' });
    });
    const { body } = await importText(call, `${url}/examples`, other.join('\n'), { on_conflict: 'take' });
    expect(body.merge).toMatchObject({ added: 0, changed: 80 });
    expect(await measure()).toEqual(before);
    // later policies are measured by the first labels, too
    const after = (await readFile(call, `${url}/examples`, 'jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const firsts = after.map((example) => example.first_decision);
    expect(firsts).toEqual(lines.map((line) => JSON.parse(line).expected_decision));
  });
});
