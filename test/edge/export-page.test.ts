/** A policy and examples saved as pages, by REST; test/e2e/decision-page.long.test.ts opens such pages in a browser. */
import { describe, expect, it } from 'vitest';
import { unpackBundle } from '../../src/engine/bundle/bundle.ts';
import { type LabellingBatch, writeGivenLabels } from '../../src/engine/report/labelling-page.ts';
import { sha256 } from '../engine/bundle-fixture.ts';
import { deployForAll, loanExamples, loanType, makeType, openForTest, temporaryFolder } from '../server/workbench.ts';
import { buildForAll } from './built-package.ts';

const edge = buildForAll();
const loan = deployForAll(loanType, loanExamples(40));

it('is one file with the bundle inside, which may connect to nothing [EDG-13]', async () => {
  const { call } = await openForTest({ dataDir: loan.copy(), edgeDir: edge.folder });
  const { status, headers, text } = await call('GET', `${loan.url}/export/page`);
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers['content-disposition']).toMatch(/^attachment; filename="loan-v1-[0-9a-f]{8}\.html"/);
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(text)?.[1];
  expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'/);
  expect(text).toContain('<h1 id="name">loan</h1>');
  expect(text).not.toMatch(/%(?:TITLE|BUNDLE|EVAL)%/);
  const bundle = /<script type="text\/plain" id="bundle">([^<]+)</.exec(text)?.[1] ?? '';
  expect(unpackBundle(new Uint8Array(Buffer.from(bundle, 'base64')), sha256).manifest.decision_type).toBe('loan');
});

it('needs the page to be built, and says so [EDG-13]', async () => {
  const { call } = await openForTest({ dataDir: loan.copy(), edgeDir: temporaryFolder() });
  const { status, body } = await call('GET', `${loan.url}/export/page`);
  expect([status, body.error.code]).toEqual([503, 'unavailable']);
  expect(body.error.message).toContain('Run npm run build');
});

describe('a labelling page', () => {
  const options = ['bill', 'fault'];
  const readBatch = (page: string): LabellingBatch =>
    JSON.parse(/<script type="text\/plain" id="batch">([^<]+)</.exec(page)?.[1] ?? '');
  async function open(count: number) {
    const { call } = await openForTest({ edgeDir: edge.folder });
    const id = await makeType(call, {
      name: 'desk',
      options,
      description: 'A bill?\n<b>Look</b>',
      pii_fields: ['who'],
    });
    const url = `/api/v1/decision-types/${id}`;
    const examples = Array.from({ length: count }, (_, n) => ({
      input: { text: `</script> ${n}`, who: `Canary ${n}` },
    }));
    const ids: string[] = (await call('POST', `${url}/examples`, { examples })).body.map(
      (example: { id: string }) => example.id,
    );
    const leave = (filter = '') => call('GET', `${url}/examples/export?format=labelling_page${filter}`);
    const comeHome = async (batch: LabellingBatch, reader: string, labelOf: (row: number) => string | null) => {
      const content = writeGivenLabels(
        batch,
        batch.rows.map((_, row) => labelOf(row)),
        { reader, at: '2026-05-01T08:00:00.000Z' },
      );
      const { status, body } = await call('POST', `${url}/examples/import`, { format: 'jsonl', content, commit: true });
      expect([status, body.error]).toEqual([200, undefined]);
      return body.merge;
    };
    return { call, url, ids, leave, comeHome };
  }

  it('brings labels of two people home, the second beside the first, with their agreement [REA-7] [REA-3]', async () => {
    const { call, url, ids, leave, comeHome } = await open(20);
    const { headers, text } = await leave();
    expect(headers['content-disposition']).toMatch(/^attachment; filename="desk-examples\.labelling\.html"/);
    expect(text).not.toContain('Canary');
    const batch = readBatch(text);
    expect([batch.rows.length, batch.guideline, batch.rows[3]?.input]).toEqual([
      20,
      'A bill?\n<b>Look</b>',
      { text: '</script> 3', who: null },
    ]);
    const labelOf = (row: number) => options[row % 2] ?? null;
    const none = { added: 0, conflicts: 0, gone: 0, items: [], unknown_decisions: [] };
    // The last four are skipped.
    expect(await comeHome(batch, 'Ana', (row) => (row < 16 ? labelOf(row) : null))).toEqual({
      ...none,
      ...{ changed: 16, unchanged: 0, read_again: 0 },
    });
    expect(await comeHome(batch, 'Ben', (row) => labelOf(row < 4 ? row + 1 : row))).toEqual({
      ...none,
      ...{ changed: 4, unchanged: 0, read_again: 16 },
    });
    // Once more changes nothing, and a third reader is one too many.
    for (const reader of ['Ben', 'Cleo'])
      expect(await comeHome(batch, reader, labelOf)).toMatchObject({
        changed: 0,
        read_again: reader === 'Ben' ? 0 : 4,
      });
    const { rows, agreed, conflicts, pairs } = (await call('GET', `${url}/agreement`)).body;
    expect([rows, agreed, conflicts]).toEqual([20, 16, 4]);
    expect(pairs.map(({ readers }: { readers: string[] }) => [...readers].sort())).toContainEqual(['Ana', 'Ben']);
    const first = (await call('GET', `${url}/examples/${ids[0]}`)).body;
    expect(first).toMatchObject({ expected_decision: 'bill', input_payload: { text: '</script> 0', who: 'Canary 0' } });
    const history = (await call('GET', `${url}/examples/${ids[17]}/labels`)).body.items;
    expect(history).toContainEqual(expect.objectContaining({ kind: 'label', decision: 'fault', reader: 'Ben' }));
  });

  it('counts labels of examples that are gone, adds none of them, and holds no more than an evening of rows [REA-7]', async () => {
    const { call, url, ids, leave, comeHome } = await open(501);
    const { status, body } = await leave();
    expect([status, body.error.details[0].msg]).toEqual([
      422,
      'a labelling page holds 500 examples at most; filter them',
    ]);
    await call('POST', `${url}/examples/bulk`, { ids: ids.slice(2), action: 'delete' });
    const batch = readBatch((await leave()).text);
    await call('DELETE', `${url}/examples/${ids[0]}`);
    expect(await comeHome(batch, 'Ana', () => 'bill')).toMatchObject({ added: 0, changed: 1, gone: 1 });
    expect((await call('GET', `${url}/examples`)).body.total).toBe(1);
  });
});
