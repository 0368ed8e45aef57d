/** One file, one answer: page, REST, agents and command make the same examples of it and drop the same rows. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openSource } from '../../../src/server/command-line/example-file.ts';
import { importFile } from '../../../src/server/command-line/import.ts';
import { ApiError } from '../../../src/server/contract/client.ts';
import type { ImportPlan } from '../../../src/server/contract/examples/import-plan.ts';
import { clientOf, makeType, openForTest, sendForm, temporaryFolder } from '../workbench.ts';

const options = ['grant', 'deny'];
/** Labels as they are written, those of no label, and with the last ones a slip and another answer. */
const clear = ['grant', 'deny', 'Grant', ' deny ', 'DENY', '', 'n/a', '-'];
const unclear = ['gramt', 'perhaps'];

type Found = { examples: string[]; repeated: number } | { unknown: string[] };
const toFound = (examples: { input: object; decision: string | null }[], repeated: number): Found => ({
  examples: examples.map(({ input, decision }) => JSON.stringify([decision, input])).sort(),
  repeated,
});

/** A table as a file of some format and encoding; `encoding` is named where nothing in the bytes tells it. */
const formats = {
  csv: (rows) => ({ name: 'cases.csv', text: rows.map((row) => row.join(',')).join('\n') }),
  semicolons: (rows) => ({ name: 'cases.csv', text: rows.map((row) => row.join(';')).join('\r\n') }),
  'tabs, in UTF-16': (rows) => ({
    name: 'cases.tsv',
    text: rows.map((row) => row.join('\t')).join('\n'),
    encoding: 'utf-16le',
  }),
  'Windows-1252': (rows) => ({
    name: 'cases.csv',
    text: rows.map((row) => row.join(',')).join('\n'),
    encoding: 'windows-1252',
  }),
  'JSON Lines': ([head = [], ...rows]) => ({
    name: 'cases.jsonl',
    text: rows.map((row) => JSON.stringify(Object.fromEntries(row.map((cell, at) => [head[at], cell])))).join('\n'),
  }),
} satisfies Record<string, (rows: readonly (readonly (string | number)[])[]) => Written>;
type Written = { name: string; text: string; encoding?: 'utf-16le' | 'windows-1252' };

function toCase({ name, text, encoding }: Written) {
  const bytes = encoding === 'windows-1252' ? Buffer.from(text, 'latin1') : Buffer.from(text, encoding ?? 'utf8');
  const fields: Record<string, string> = encoding === undefined ? {} : { encoding };
  return { name, text, fields, file: new File([bytes], name) };
}
type Case = ReturnType<typeof toCase>;

async function openDoors() {
  const { app, call, token } = await openForTest();
  const client = clientOf(app, token);
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
  const toReadings = (columns: ImportPlan['columns']) =>
    columns.map(({ name, read_as, reason, choices }) => ({ name, read_as, reason, choices }));
  const toAccount = ({ file, repeated, alike, conflicts }: ImportPlan) => {
    const sentences = [repeated, alike, conflicts].flatMap(({ sentence }) => sentence ?? []);
    return [...file.report.account, ...sentences];
  };
  return {
    /** As the page does it, where it asks nothing else than what labels mean. */
    async askPage({ file, fields }: Case) {
      const { id, read } = await open();
      const form = new FormData();
      for (const [name, value] of Object.entries({ ...fields, decision_type_id: id })) form.set(name, value);
      form.set('file', file);
      const begun = await client.upload('imports.begin', {}, form);
      const params = { import_id: begun.id };
      const choice = { answer: 'label', roles: { n: 'input', text: 'input' } } as const;
      const { plan } = await client.call('imports.choose', { params, body: choice });
      const { new_options, repeated, columns } = plan;
      const facts = { account: toAccount(plan), readings: toReadings(columns), questions: plan.questions, plan };
      if (new_options.length > 0) {
        await client.call('imports.cancel', { params });
        return { found: { unknown: new_options.toSorted() }, ...facts };
      }
      await client.call('imports.commit', { params, body: {} });
      return { found: await read(repeated.count), ...facts };
    },
    async askRest({ file, fields }: Case) {
      const { id, read } = await open();
      const url = `/api/v1/decision-types/${id}/examples/import`;
      const all = { ...fields, mapping: JSON.stringify(mapping) };
      const preview = await sendForm(call, url, file, all);
      const { status, body } = await sendForm(call, url, file, { ...all, commit: 'true' });
      const { committed: _, first_examples: __, ...plan } = preview.body;
      const { repeated, examples, labelled } = plan;
      const facts = { plan };
      if (status === 422) return { found: listUnknown(body.error.details), ...facts, left: await read(0) };
      expect(body).toMatchObject({ repeated, examples, labelled });
      return { found: await read(repeated.count), ...facts, left: null };
    },
    async askAgent({ text: content }: Case) {
      const { id, read } = await open();
      const use = async (commit: boolean) => {
        const args = { decision_type_id: id, content, mapping, commit };
        const params = { name: 'import_examples', arguments: args };
        const headers = { accept: 'application/json, text/event-stream' };
        const answer = await call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
        return JSON.parse(answer.text.replace(/^(?:.*\n)*?data: /, '')).result;
      };
      const { questions } = (await use(false)).structuredContent;
      const { isError, structuredContent } = await use(true);
      return { found: isError ? null : await read(structuredContent.repeated), questions };
    },
    async askCommand({ file: given, fields }: Case) {
      const { name, read } = await open();
      const file = path.join(scratch, `${name}${path.extname(given.name)}`);
      writeFileSync(file, new Uint8Array(await given.arrayBuffer()));
      const said: string[] = [];
      const around = { say: (text: string) => said.push(text), signal: new AbortController().signal };
      const flags = { label: 'label', 'learn-from': ['n', 'text'], ...fields };
      try {
        const { plan } = await importFile(client, await openSource(file, flags), name, around);
        return { found: await read(plan.repeated.count), said, readings: toReadings(plan.columns), left: null };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return { found: listUnknown(error.details as Detail[]), said, readings: null, left: await read(0) };
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
    .map((rows) => [['n', 'text', 'label'], ...rows]);

it('gives the same examples, dropped rows, readings and refused labels behind every door [FIL-45]', async () => {
  const doors = await openDoors();
  const check = async (rows: (string | number)[][], format: keyof typeof formats) => {
    const file = toCase(formats[format](rows));
    const { found, account, readings, questions, plan } = await doors.askPage(file);
    const rest = await doors.askRest(file);
    expect(rest).toMatchObject({ found, plan });
    const command = await doors.askCommand(file);
    expect(command.found).toEqual(found);
    // What the command says of a file is what the page shows.
    for (const sentence of account) expect(command.said.join('\n')).toContain(`${sentence}.`);
    const agent = await doors.askAgent(file);
    expect(agent.questions).toEqual(questions);
    const nothing = { examples: [], repeated: 0 };
    if ('unknown' in found) expect([agent.found, rest.left, command.left]).toEqual([null, nothing, nothing]);
    else expect([agent.found, command.readings]).toEqual([found, readings]);
    return { found, account };
  };
  const toRows = (text: string) => text.split('\n').map((line) => line.split(','));
  const { found, account } = await check(
    toRows('n,text,label\n1,a,grant\n2,b,deny\n1,a,Grant\n2,b,deny\n3,c,deny\n4,d,n/a\n5,e,grant'),
    'csv',
  );
  expect(found).toMatchObject({ repeated: 2, examples: { length: 5 } });
  expect(account.slice(1)).toEqual(['2 duplicate rows left out: lines 4 (as 2); 5 (as 3)']);
  // Where few kinds of rows are counted, each one counts.
  const few = await check(toRows(`n,text,label${'\n1,a,grant\n2,a,grant\n1,b,deny'.repeat(4)}`), 'csv');
  expect(few.found).toMatchObject({ repeated: 0, examples: { length: 12 } });
  expect(few.account.slice(1)).toEqual([
    expect.stringMatching(/^9 duplicate rows kept, as no column tells rows apart: lines 5/),
  ]);
  const anyFormat = fc.constantFrom(...(Object.keys(formats) as (keyof typeof formats)[]));
  for (const [labels, numRuns] of [
    [clear, 6],
    [[...clear, ...unclear], 4],
  ] as const)
    await fc.assert(
      fc.asyncProperty(toFile(labels), anyFormat, async (rows, format) => void (await check(rows, format))),
      { numRuns },
    );
});

/** What becomes of an example: in the file that came back, and meanwhile in the workbench. */
const edits = fc.record({
  there: fc.constantFrom('as it was', 'grant', 'deny', 'no label', 'gone'),
  here: fc.constantFrom('as it was', 'as it was', 'grant', 'deny'),
});
type Edits = { there: string; here: string }[];

/** Makes a type, exports its examples, and changes both; gives the file and what is there after its way back. */
async function openMerge({ app, call, token }: Awaited<ReturnType<typeof openForTest>>, name: string, edited: Edits) {
  const id = await makeType(call, { name, options });
  const url = `/api/v1/decision-types/${id}/examples`;
  const examples = edited.map((_, n) => ({ input: { n, text: `cup ${n}` }, decision: options[n % 2] }));
  await call('POST', url, { examples });
  const lines = (await call('GET', `${url}/export?format=jsonl`)).text.trim().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as { id: string; expected_decision: string | null });
  const changed = rows.flatMap((row, n) => {
    const { there = '' } = edited[n] ?? {};
    if (there === 'gone') return [];
    const decision = there === 'as it was' ? row.expected_decision : there === 'no label' ? null : there;
    return [{ ...row, expected_decision: decision }];
  });
  for (const [n, { here }] of edited.entries())
    if (here !== 'as it was') await call('PATCH', `${url}/${rows[n]?.id}`, { expected_decision: here });
  const text = changed.map((row) => JSON.stringify(row)).join('\n');
  const list = async () => {
    const { items } = (await call('GET', `${url}?page_size=100`)).body;
    return items
      .map((item: Record<string, unknown>) =>
        JSON.stringify([item['input_payload'], item['expected_decision'], item['status'], item['note']]),
      )
      .sort();
  };
  return { id, url, name, text, client: clientOf(app, token), list };
}

it('merges an export on its way back alike behind every door [FIL-45]', async () => {
  const bench = await openForTest();
  const { call } = bench;
  const scratch = temporaryFolder();
  let made = 0;
  type Merge = NonNullable<ImportPlan['merge']>;
  const toCounts = (merge: Merge | null) => merge && { ...merge, items: merge.items.length };
  /** Lets one door bring the file back; null where it is refused. */
  const ask = async (
    edited: Edits,
    bring: (opened: Awaited<ReturnType<typeof openMerge>>, file: File) => Promise<Merge | null | 'refused'>,
  ) => {
    made += 1;
    const opened = await openMerge(bench, `merge ${made}`, edited);
    const merge = await bring(opened, new File([opened.text], 'examples.jsonl'));
    return { merge: merge === 'refused' ? merge : toCounts(merge), examples: await opened.list() };
  };
  const orRefused = (error: unknown) => {
    if (error instanceof ApiError && error.status === 422) return 'refused' as const;
    throw error;
  };
  const check = async (edited: Edits, on_conflict: 'refuse' | 'keep' | 'take' | 'flag') => {
    const byPage = await ask(edited, async ({ id, client }, file) => {
      const form = new FormData();
      form.set('decision_type_id', id);
      form.set('file', file);
      const params = { import_id: (await client.upload('imports.begin', {}, form)).id };
      return client.call('imports.commit', { params, body: { on_conflict } }).then(({ merge }) => merge, orRefused);
    });
    const overRest = await ask(edited, async ({ url }, file) => {
      const { status, body } = await sendForm(call, `${url}/import`, file, { on_conflict, commit: 'true' });
      return status === 422 ? 'refused' : body.merge;
    });
    const byCommand = await ask(edited, async ({ name, client, text }) => {
      const file = path.join(scratch, `${name}.jsonl`);
      writeFileSync(file, text);
      const around = { say: () => undefined, signal: new AbortController().signal };
      const source = await openSource(file, { onConflict: on_conflict });
      return importFile(client, source, name, around).then(({ merge }) => merge, orRefused);
    });
    expect(overRest).toEqual(byPage);
    expect(byCommand).toEqual(byPage);
    // An agent cannot say what becomes of a conflict.
    if (on_conflict !== 'refuse') return byPage;
    const byAgent = await ask(edited, async ({ id, text: content }) => {
      const params = {
        name: 'import_examples',
        arguments: { decision_type_id: id, content, format: 'jsonl', commit: true },
      };
      const headers = { accept: 'application/json, text/event-stream' };
      const { text } = await call('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
      return JSON.parse(text.replace(/^(?:.*\n)*?data: /, '')).result.isError ? 'refused' : null;
    });
    // What an agent is answered leaves out the counts.
    expect(byAgent).toEqual({ ...byPage, merge: byPage.merge === 'refused' ? 'refused' : null });
    return byPage;
  };
  const asItWas = { there: 'as it was', here: 'as it was' };
  const differing = [asItWas, { there: 'deny', here: 'as it was' }, { there: 'no label', here: 'grant' }];
  expect((await check(differing, 'take')).merge).toMatchObject({ added: 0, conflicts: 0 });
  const anyChoice = fc.constantFrom('refuse' as const, 'keep' as const, 'take' as const, 'flag' as const);
  await fc.assert(
    fc.asyncProperty(fc.array(edits, { minLength: 2, maxLength: 6 }), anyChoice, async (edited, choice) => {
      fc.pre(edited.some(({ there }) => there !== 'gone'));
      await check(edited, choice);
    }),
    { numRuns: 6 },
  );
});
