/** A table with the labels of two people: asked about once, and kept as first and second readings, behind every door. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSecondReader } from '../../../src/engine/import/answers.ts';
import { readFile } from '../../../src/engine/import/read-file.ts';
import { surveyColumns } from '../../../src/engine/import/survey.ts';
import { openSource } from '../../../src/server/command-line/example-file.ts';
import { importFile } from '../../../src/server/command-line/import.ts';
import { clientOf, makeType, openForTest, sendForm, temporaryFolder } from '../workbench.ts';

const file = path.join(import.meta.dirname, '../../fixtures/cases/second-annotator/tickets.csv');
const upload = () => new File([readFileSync(file)], 'tickets.csv');
const options = ['bill', 'fault', 'other'];
const [first, second] = ['annotator_1', 'annotator_2'];
const question = `It holds the same options as “${first}”. Is it a second reader's?`;

async function open() {
  const bench = await openForTest();
  const { call } = bench;
  const readOf = async (typeId: string) => {
    const url = `/api/v1/decision-types/${typeId}`;
    const agreement = (await call('GET', `${url}/agreement`)).body;
    const stats = (await call('GET', `${url}/examples/stats`)).body;
    const conflicts = (await call('GET', `${url}/examples/next?queue=conflicts&count=10`)).body.items;
    const { items } = (await call('GET', `${url}/examples?page_size=100`)).body;
    return { agreement, stats, conflicts, items };
  };
  const expectTwoReaders = async (typeId: string) => {
    const { agreement, stats, conflicts, items } = await readOf(typeId);
    expect(agreement).toMatchObject({ drawn: 30, waiting: 0, conflicts: 3, rows: 30, agreed: 27 });
    expect(agreement.pairs).toMatchObject([{ readers: [`column "${first}"`, `column "${second}"`], agreed: 27 }]);
    expect(stats).toMatchObject({ total: 32, labelled: 32, reviewed: 27, by_queue: { conflicts: 3 } });
    expect(conflicts).toHaveLength(3);
    expect(conflicts[0].why).toMatch(/column "annotator_1" said «\w+», column "annotator_2" said «\w+»/);
    for (const { input_payload } of items) expect(Object.keys(input_payload)).toEqual(['text', 'channel']);
    return conflicts;
  };
  return { ...bench, readOf, expectTwoReaders };
}

describe('a second reader in a column of a file', () => {
  it('is asked about once, and becomes second readings with the examples, in one commit [FIL-48]', async () => {
    const { call, expectTwoReaders, readOf } = await open();
    const begun = (await sendForm(call, '/api/v1/imports', upload(), { name: 'desk' })).body;
    const choose = async (choice: object) => (await call('PATCH', `/api/v1/imports/${begun.id}`, choice)).body.plan;
    const asked = await choose({ answer: first });
    expect(asked).toMatchObject({
      questions: [{ about: 'input', column: second, sentence: question }],
      second_reader: second,
      read_twice: { count: 0, sentence: null },
    });
    const commit = () => call('POST', `/api/v1/imports/${begun.id}/commit`, {});
    expect((await commit()).body.error.details).toMatchObject([{ loc: ['body', 'input', second], msg: question }]);
    expect((await choose({ roles: { [second]: 'ignore' } })).questions).toEqual([]);
    const { read_twice, questions, labelled } = await choose({ roles: { [second]: 'second_reading' } });
    expect([questions, labelled, read_twice]).toEqual([
      [],
      32,
      { count: 30, sentence: expect.stringMatching(/^30 rows read twice, 3 with another label: lines \d+, \d+, \d+$/) },
    ]);
    const { decision_type } = (await commit()).body;
    expect(decision_type.active_version.options.toSorted()).toEqual(options);
    const [{ example }] = await expectTwoReaders(decision_type.id);
    // One person settles what the two saw differently.
    const label = { expected_decision: 'other', note: 'Neither' };
    await call('PATCH', `/api/v1/decision-types/${decision_type.id}/examples/${example.id}`, label);
    expect((await readOf(decision_type.id)).agreement).toMatchObject({ conflicts: 2, settled: 1 });
  });

  it('comes by one REST call and by a command as by the page, and unasked by none [FIL-48] [FIL-45]', async () => {
    const { app, token, call, expectTwoReaders, readOf } = await open();
    const typeId = await makeType(call, { name: 'rest', options });
    const bring = (mapping: object) =>
      sendForm(call, `/api/v1/decision-types/${typeId}/examples/import`, upload(), {
        mapping: JSON.stringify({ decision: first, ...mapping }),
        commit: 'true',
      });
    const wrong = (await bring({ second_reading: 'annotator' })).body.error.details;
    expect(wrong).toMatchObject([{ loc: ['body', 'mapping', 'second_reading'], type: 'unknown_column' }]);
    const { status, body } = await bring({ second_reading: second });
    expect([status, body.read_twice.sentence]).toEqual([200, expect.stringMatching(/^30 rows read twice/)]);
    await expectTwoReaders(typeId);

    const said: string[] = [];
    const around = { say: (text: string) => said.push(text), signal: new AbortController().signal };
    const command = async (name: string, flags: object) =>
      importFile(clientOf(app, token), await openSource(file, { label: first, ...flags }), name, around);
    const unasked = await command('unasked', {});
    expect(said).toContain(`Column “${second}” is left out: ${question} If so, add --second-reader "${second}".`);
    expect((await readOf(unasked.type.id)).agreement).toMatchObject({ drawn: 0 });
    await expectTwoReaders((await command('read', { 'second-reader': second })).type.id);
  });

  it('is known in the export of a labelling tool, unasked, behind every door [FIL-48] [FIL-33]', async () => {
    const { app, token, call, readOf } = await open();
    const give = (by: object | number, label: string) => ({
      completed_by: by,
      result: [{ type: 'choices', from_name: 'topic', to_name: 'text', value: { choices: [label] } }],
    });
    const tasks = Array.from({ length: 30 }, (_, n) => {
      const label = options[n % 3] ?? '';
      const other = n < 3 ? options[(n + 1) % 3] : label;
      const others = n < 20 ? [give({ id: 2 }, other ?? '')] : [give(1, label)];
      return { data: { text: `cup ${n} fell` }, annotations: [give(1, label), ...others] };
    });
    const file = path.join(temporaryFolder(), 'tasks.json');
    writeFileSync(file, JSON.stringify(tasks));
    const expectRead = async (typeId: string) => {
      const { agreement, items, stats } = await readOf(typeId);
      expect(agreement).toMatchObject({ drawn: 20, conflicts: 3, rows: 20, agreed: 17 });
      expect([stats.labelled, stats.by_option]).toMatchObject([30, { bill: 10, fault: 10, other: 10 }]);
      for (const { input_payload } of items) expect(Object.keys(input_payload)).toEqual(['text']);
    };
    for (const mapping of [{}, { mapping: JSON.stringify({ decision: 'label' }) }]) {
      const typeId = await makeType(call, { name: `rest ${Object.keys(mapping).length}`, options });
      const upload = new File([readFileSync(file)], 'tasks.json');
      const url = `/api/v1/decision-types/${typeId}/examples/import`;
      const { status, body } = await sendForm(call, url, upload, { ...mapping, commit: 'true' });
      expect([status, body.questions]).toEqual([200, []]);
      await expectRead(typeId);
    }
    const around = { say: () => undefined, signal: new AbortController().signal };
    const { type } = await importFile(clientOf(app, token), await openSource(file, {}), 'command', around);
    await expectRead(type.id);
  });

  it('is neither a fact that is yes or no, nor an earlier answer, nor has it other options [FIL-48]', async () => {
    const find = async (head: string, row: (n: number) => string, answer: string) => {
      const text = [head, ...Array.from({ length: 40 }, (_, n) => row(n))].join('\n');
      const sheet = await readFile({ name: 'a.csv', bytes: Buffer.from(text) }, {}, { maxBytes: 1e6 });
      return findSecondReader(surveyColumns(sheet, 2026), answer);
    };
    const word = (n: number) => ['open', 'shut', 'ajar'][n % 3];
    const yes = (n: number) => (n % 2 ? 'yes' : 'no');
    expect(await find('paid,approved', (n) => `${yes(n >> 1)},${yes(n)}`, 'approved')).toBeNull();
    expect(await find('rater b,rater a', (n) => `${yes(n >> 1)},${yes(n)}`, 'rater a')).toBe('rater b');
    expect(await find('previous state,state', (n) => `${word(n >> 1)},${word(n)}`, 'state')).toBeNull();
    expect(await find('door,state', (n) => `${word(n >> 1)}s,${word(n)}`, 'state')).toBeNull();
    expect(await find('milo,jana', (n) => `${word(n >> 1)},${word(n)}`, 'jana')).toBe('milo');
  });
});
