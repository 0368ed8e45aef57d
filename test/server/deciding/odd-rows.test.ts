/** Odd rows of a table: each is read for itself, and decided alike at every door. */
import path from 'node:path';
import { expect, it } from 'vitest';
import { loadBundle } from '../../../src/edge/browser.ts';
import { readTable, writeDecided } from '../../../src/edge/page/table-file.ts';
import { readFile } from '../../../src/engine/import/read-file.ts';
import { readCell } from '../../../src/engine/import/sheet.ts';
import { deployRules, startWorkbench, temporaryFolder } from '../workbench.ts';

const type = {
  name: 'loan',
  options: ['decline', 'approve'],
  fallback_option: 'decline',
  hard_rules: [
    { name: 'small', condition: 'ctx.amount < 5000.0', then: 'approve' },
    { name: 'coded', condition: 'ctx.code == "0017"', then: 'approve' },
  ],
};

it('one word in a column of numbers turns no other row, and says so of its own [CMD-6] [EDG-13]', async () => {
  const dataDir = path.join(temporaryFolder(), 'data');
  const bench = await startWorkbench(dataDir);
  const url = await deployRules(bench, type);
  const rows = Array.from({ length: 30 }, (_, at) => [String(100 + at), at === 7 ? '0017' : '12']);
  rows[11] = ['unknown', '12'];
  rows[12] = ['unknown', '0017'];
  const csv = `amount,code\n${rows.map((cells) => cells.join(',')).join('\n')}\n`;
  const expected = rows.map(([amount, code]) => (amount !== 'unknown' || code === '0017' ? 'approve' : 'decline'));

  const headers = { authorization: `Bearer ${bench.token}`, host: '127.0.0.1' };
  const bundle = (await bench.app.inject({ url: `/api/v1${url}/export`, headers })).rawPayload;
  const predictor = await loadBundle(bundle);
  expect(predictor.info.fields.map(({ path: [name], kind }) => [name, kind])).toEqual([
    ['amount', 'number'],
    ['code', 'category'],
  ]);
  const decideFile = async (name: string, bytes: Uint8Array<ArrayBuffer>) => {
    const table = await readTable({ name, bytes }, predictor.info);
    const written = writeDecided(table, await predictor.decideEach(table.inputs));
    const sheet = await readFile({ name: written.name, bytes: written.bytes }, {}, { maxBytes: 1e6 });
    return sheet.rows.map((row) =>
      Object.fromEntries(sheet.columns.map((column, at) => [column, readCell(row, sheet.columns, at)])),
    );
  };
  const decided = await decideFile('rows.csv', new TextEncoder().encode(csv));
  expect(decided.map(({ decision }) => decision)).toEqual(expected);
  expect(decided.map(({ reasons }) => reasons)).toEqual(
    rows.map(([amount], at) =>
      amount !== 'unknown' ? 'rule small' : `${at === 12 ? 'rule coded; ' : ''}rule small failed: type mismatch`,
    ),
  );

  for (const [at, row] of [rows[3], rows[11], rows[12]].entries()) {
    const [amount = '', code] = row ?? [];
    const input = { amount: amount === 'unknown' ? amount : Number(amount), code };
    const { body } = await bench.call('POST', '/decide', { decision_type: 'loan', input });
    const rule_errors = at === 0 ? [] : [{ name: 'small', error: 'type_mismatch' }];
    expect(body).toMatchObject({ decision: at === 1 ? 'decline' : 'approve', rule_errors });
    expect(await predictor.decide(input)).toMatchObject({ decision: body.decision, rule_errors });
  }

  const examples = rows.map(([amount, code], at) => ({
    input: { amount: amount === 'unknown' ? amount : Number(amount), code },
    decision: expected[at],
  }));
  expect((await bench.call('POST', `${url}/examples`, { examples })).status).toBe(201);
  for (const format of ['csv', 'xlsx']) {
    const answer = await bench.app.inject({ url: `/api/v1${url}/examples/export?format=${format}`, headers });
    expect(answer.statusCode, answer.body.slice(0, 200)).toBe(200);
    const own = await decideFile(`ex.${format}`, new Uint8Array(answer.rawPayload));
    expect(own.map(({ decision, expected_decision: label }) => [decision, label])).toEqual(
      expected.map((option) => [option, option]),
    );
    expect(own.map(({ amount, code }) => [String(amount), code])).toEqual(rows);
  }
  await bench.stop();
});
