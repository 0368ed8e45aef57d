/** Examples leave a workbench as files: filtered, with personal fields masked, and beside other calls. */
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { makeType, openForTest } from '../workbench.ts';

const types = '/api/v1/decision-types';

async function openWithExamples() {
  const opened = await openForTest();
  const id = await makeType(opened.call, { reason_codes: ['A', 'B'], pii_fields: ['customer.name'] });
  const url = `${types}/${id}/examples`;
  const examples = [
    { input: { amount: 10, customer: { name: 'Ada', city: 'Köln' } }, decision: 'yes', reason_codes: ['A', 'B'] },
    { input: { amount: 20.5, text: '=1+1' }, decision: 'no', test: true },
    { input: { amount: null, text: 'later' } },
  ];
  const added = await opened.call('POST', url, { examples });
  expect(added.status).toBe(201);
  return { ...opened, url, ids: added.body.map((example: { id: string }) => example.id) as string[] };
}

describe('The examples of a type', () => {
  it('are exported as a table, oldest first, with all that belongs to each [XPT-1] [XPT-4]', async () => {
    const { call, url, ids } = await openWithExamples();
    const note = { status: 'flagged', note: 'ask again' };
    expect((await call('PATCH', `${url}/${ids[2]}`, note)).status).toBe(200);
    const csv = await call('GET', `${url}/export?format=csv`);
    expect(csv.headers['content-type']).toContain('text/csv');
    expect(csv.headers['content-disposition']).toContain('triage-examples.csv');
    const rows: Record<string, string>[] = parse(csv.text, { columns: true });
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect(rows[0]).toMatchObject({
      expected_decision: 'yes',
      reason_codes: 'A; B',
      amount: '10',
      'customer.city': 'Köln',
    });
    expect(rows[0]).toMatchObject({ source: 'user', labelled_by: 'person', reviewed: 'false', status: 'done' });
    expect(rows[0]?.['customer.name']).toMatch(/^pii:[0-9a-f]{24}$/);
    expect(rows[1]).toMatchObject({ expected_decision: 'no', test: 'true', side: 'test', text: "'=1+1" });
    expect(rows[2]).toMatchObject({ expected_decision: '', status: 'flagged', note: 'ask again', amount: '' });
    const whole = await call('GET', `${url}/export?format=csv&personal=true`);
    expect(parse(whole.text, { columns: true })[0]).toMatchObject({ 'customer.name': 'Ada' });
  });

  it('are exported as far as a filter finds them, in any format [XPT-1]', async () => {
    const { call, url, ids } = await openWithExamples();
    const list = async (query: string) =>
      (await call('GET', `${url}/export?format=jsonl&${query}`)).text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line).id);
    expect(await list('labelled=true')).toEqual(ids.slice(0, 2));
    expect(await list('search=later')).toEqual(ids.slice(2));
    expect(await list(`fields=${encodeURIComponent('[{"field":"amount","min":15}]')}`)).toEqual(ids.slice(1, 2));
    expect(await list('decision=none')).toEqual([]);
    for (const format of ['xlsx', 'parquet', 'label_studio', 'argilla', 'prodigy', 'spacy']) {
      const file = await call('GET', `${url}/export?format=${format}`);
      expect([format, file.status, file.text.length > 100]).toEqual([format, 200, true]);
    }
    expect((await call('GET', `${url}/export?format=pdf`)).status).toBe(422);
  });

  it('are refused for a workbook with a value that no cell holds, with another format [XPT-5]', async () => {
    const { call, url } = await openWithExamples();
    const examples = [{ input: { text: 'x'.repeat(40_000) } }];
    expect((await call('POST', url, { examples })).status).toBe(201);
    const refused = await call('GET', `${url}/export?format=xlsx`);
    expect([refused.status, refused.body.error.details[0].loc]).toEqual([422, ['query', 'format']]);
    expect(refused.body.error.details[0].msg).toContain('40,000 characters');
    expect((await call('GET', `${url}/export?format=csv`)).status).toBe(200);
  });
});
