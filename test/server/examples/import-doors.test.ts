/** One file, one answer: page, REST, agents and command make the same examples of it and drop the same rows. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { guessTargets, listLabels } from '../../../src/engine/import/labels.ts';
import { planImport, proposeImport, toExampleColumns } from '../../../src/engine/import/plan-import.ts';
import { readFile } from '../../../src/engine/import/read-file.ts';
import { describePairs } from '../../../src/engine/import/row-reader.ts';
import { surveyColumns } from '../../../src/engine/import/survey.ts';
import { makePlan } from '../../../src/renderer/features/import/plan.ts';
import { readLabelledFile } from '../../../src/server/command-line/example-file.ts';
import { importFile } from '../../../src/server/command-line/import.ts';
import { ApiError, createClient } from '../../../src/server/contract/client.ts';
import { makeType, openForTest, temporaryFolder } from '../workbench.ts';

const options = ['grant', 'deny'];
/** Labels as they are written, those of no label, and with the last ones a slip and another answer. */
const clear = ['grant', 'deny', 'Grant', ' deny ', 'DENY', '', 'n/a', '-'];
const unclear = ['gramt', 'perhaps'];

type Found = { examples: string[]; repeated: number } | { unknown: string[] };
const toFound = (examples: { input: object; decision: string | null }[], repeated: number): Found => ({
  examples: examples.map(({ input, decision }) => JSON.stringify([decision, input])).sort(),
  repeated,
});

/** As the page plans it, where it asks nothing else than what labels mean. */
async function askPage(text: string): Promise<{ found: Found; account: string[] }> {
  const sheet = await readFile({ name: 'cases.csv', bytes: new TextEncoder().encode(text) }, {}, { maxBytes: 1e6 });
  const file = { sheet, surveys: surveyColumns(sheet) };
  const proposal = proposeImport(file, options, 'label');
  const columns = toExampleColumns(sheet.columns, proposal.roles);
  const read = planImport(file, proposal, { columns, kinds: {}, settled: sheet.columns });
  const { targets } = guessTargets(listLabels(sheet, 'label'), options);
  const plan = makePlan(sheet, read, targets, { options, reason_codes: [], readings: {} });
  const account = (['repeated', 'alike', 'conflicts'] as const).flatMap((kind) => describePairs(kind, plan[kind]));
  const found =
    plan.newOptions.length > 0 ? { unknown: plan.newOptions.sort() } : toFound(plan.rows, plan.repeated.length);
  return { found, account };
}

async function openDoors() {
  const { app, call, token } = await openForTest();
  const client = createClient({
    baseUrl: 'http://127.0.0.1',
    fetch: async (url, init) => {
      const request = new Request(url, init);
      const payload = Buffer.from(await request.arrayBuffer());
      const method = request.method as 'GET' | 'POST';
      const headers = { ...Object.fromEntries(request.headers), host: '127.0.0.1' };
      const answer = await app.inject({ method, url, headers, ...(payload.length > 0 && { payload }) });
      const type = { 'content-type': String(answer.headers['content-type']) };
      return new Response(answer.body, { status: answer.statusCode, headers: type });
    },
    token: () => token,
    newRequestId: () => crypto.randomUUID(),
    onUnauthorized: () => undefined,
  });
  const scratch = temporaryFolder();
  let made = 0;
  const open = async () => {
    made += 1;
    const name = `cases ${made}`;
    const id = await makeType(call, { name, options });
    const read = async (repeated: number): Promise<Found> => {
      const { body } = await call('GET', `/api/v1/decision-types/${id}/examples?page_size=100`);
      type Item = { input_payload: object; expected_decision: string | null };
      return toFound(
        body.items.map((item: Item) => ({ input: item.input_payload, decision: item.expected_decision })),
        repeated,
      );
    };
    return { name, id, read };
  };
  type Detail = { msg: string };
  const listUnknown = (details: readonly Detail[]): Found => ({
    unknown: [...new Set(details.flatMap(({ msg }) => /"(.+)" is not an option/.exec(msg)?.[1] ?? []))].sort(),
  });
  const mapping = { decision: 'label', input: ['n', 'text'] };
  return {
    async askRest(content: string) {
      const { id, read } = await open();
      const url = `/api/v1/decision-types/${id}/examples/import`;
      const preview = await call('POST', url, { content, format: 'csv', mapping });
      const { status, body } = await call('POST', url, { content, format: 'csv', mapping, commit: true });
      const { account } = preview.body.report;
      if (status === 422) return { found: listUnknown(body.error.details), account, left: await read(0) };
      expect(preview.body).toMatchObject({ total: body.total, repeated: body.repeated, labelled: body.labelled });
      return { found: await read(body.repeated), account, left: null };
    },
    async askAgent(content: string) {
      const { id, read } = await open();
      const args = { decision_type_id: id, content, format: 'csv', mapping, commit: true };
      const params = { name: 'import_examples', arguments: args };
      const headers = { accept: 'application/json, text/event-stream' };
      const answer = await call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
      const { result } = JSON.parse(answer.text.replace(/^(?:.*\n)*?data: /, ''));
      if (result.isError) return null;
      return read(result.structuredContent.repeated);
    },
    async askCommand(content: string) {
      const { name, read } = await open();
      const file = path.join(scratch, `${name}.csv`);
      writeFileSync(file, content);
      const table = await readLabelledFile(file, { label: 'label' }, () => undefined);
      try {
        const { repeated } = await importFile(client, { ...table, mapping: { ...table.mapping, ...mapping } }, name);
        return await read(repeated);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return listUnknown(error.details as Detail[]);
      }
    },
  };
}

const toFile = (labels: readonly string[]) =>
  fc
    .array(
      fc.tuple(
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom('late', 'early', 'Zoë', 'never', 'soon', 'now', 'ever'),
        fc.constantFrom(...labels),
      ),
      {
        minLength: 4,
        maxLength: 12,
      },
    )
    .map((rows) => [['n', 'text', 'label'], ...rows].map((row) => row.join(',')).join('\n'));

it('gives the same examples, dropped rows and refused labels behind every door [FIL-45]', {
  timeout: 60_000,
}, async () => {
  const doors = await openDoors();
  const check = async (text: string) => {
    const { found, account } = await askPage(text);
    const rest = await doors.askRest(text);
    expect(rest.found).toEqual(found);
    expect(rest.account).toEqual(expect.arrayContaining(account));
    expect(await doors.askCommand(text)).toEqual(found);
    const agent = await doors.askAgent(text);
    if ('unknown' in found) expect([agent, rest.left]).toEqual([null, { examples: [], repeated: 0 }]);
    else expect(agent).toEqual(found);
    return { found, account };
  };
  const { found, account } = await check(
    'n,text,label\n1,a,grant\n2,b,deny\n1,a,Grant\n2,b,deny\n3,c,deny\n4,d,n/a\n5,e,grant',
  );
  expect(found).toMatchObject({ repeated: 2, examples: { length: 5 } });
  expect(account).toEqual(['2 duplicate rows left out: lines 4 (as 2); 5 (as 3)']);
  // Where few kinds of rows are counted, each one counts.
  const few = await check(`n,text,label\n${'1,a,grant\n2,a,grant\n1,b,deny\n'.repeat(4)}`);
  expect(few.found).toMatchObject({ repeated: 0, examples: { length: 12 } });
  expect(few.account).toEqual([
    expect.stringMatching(/^9 duplicate rows kept, as no column tells rows apart: lines 5/),
  ]);
  await fc.assert(
    fc.asyncProperty(toFile(clear), async (text) => void (await check(text))),
    { numRuns: 10 },
  );
  await fc.assert(
    fc.asyncProperty(toFile([...clear, ...unclear]), async (text) => void (await check(text))),
    { numRuns: 6 },
  );
});
