/** The import of a file: looked at once, planned anew with each choice, and committed whole. */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSource, toChoice } from '../../../src/server/command-line/example-file.ts';
import { callerOf, makeType, openForTest, sendForm, temporaryFolder } from '../workbench.ts';

const tickets = 'text;shop;label\nbroken;A;yes\nlate;B;no\nlost;A;Yes\nfine;B;\nlate;B;no\n';
const toFile = (text: string, name = 'tickets.csv') => new File([text], name);

async function openForFiles(dataDir?: string) {
  const bench = await openForTest(dataDir === undefined ? {} : { dataDir });
  const { call } = bench;
  const url = '/api/v1/imports';
  return {
    ...bench,
    begin: (text: string | File, fields: Record<string, string> = {}) =>
      sendForm(call, url, typeof text === 'string' ? toFile(text) : text, fields),
    choose: (id: string, choice: object) => call('PATCH', `${url}/${id}`, choice),
    commit: (id: string, body: object = {}, headers = {}) => call('POST', `${url}/${id}/commit`, body, headers),
    list: async () => (await call('GET', '/api/v1/decision-types')).body.items,
    listUploads: () => readdirSync(path.join(bench.dataDir, 'imports')),
  };
}

describe('the import of a file', () => {
  it('gives its rows as the examples that they become, with copies and lines that hold none, and stores nothing [FIL-46] [CMD-10]', async () => {
    const { begin, choose, call } = await openForFiles();
    const typeId = await makeType(call, { name: 'tickets', options: ['yes', 'no'] });
    const list = async (id: string, query: string) => (await call('GET', `/api/v1/imports/${id}/rows?${query}`)).body;
    const lines = [
      '{"text":"late","paid":"1,5","label":"Yes"}',
      '{bad',
      '{"text":"lost","paid":"2,5"}',
      '[1]',
      '{"text":"late","paid":"1,5","label":"Yes"}',
    ];
    const begun = await begin(toFile(lines.join('\n'), 'tickets.jsonl'), { decision_type_id: typeId });
    const { id } = begun.body;
    await choose(id, { answer: 'label', kinds: { paid: 'number_decimal_comma' }, settle: true });
    const late = { input_payload: { text: 'late', paid: 1.5 }, expected_decision: 'yes', problem: null };
    const none = { input_payload: null, expected_decision: null };
    const first = await list(id, 'as=examples&count=3');
    expect(first).toEqual({
      rows: [],
      examples: [
        { line: 1, ...late },
        { line: 2, ...none, problem: expect.objectContaining({ loc: ['body', 'content', 2, 2] }) },
        { line: 3, input_payload: { text: 'lost', paid: 2.5 }, expected_decision: null, problem: null },
      ],
      next: 3,
    });
    expect(await list(id, 'as=examples&from=3')).toMatchObject({
      examples: [
        { line: 4, ...none, problem: { msg: 'line 4: not an object' } },
        { line: 5, ...late },
      ],
      next: null,
    });
    expect(await list(id, 'count=2')).toMatchObject({ rows: [{ line: 1 }, { line: 3 }], examples: null, next: 2 });
    // What is chosen anew counts at once.
    await choose(id, { targets: { Yes: { kind: 'option', option: 'no' } }, roles: { paid: 'ignore' } });
    expect((await list(id, 'as=examples&count=1')).examples).toEqual([
      { line: 1, input_payload: { text: 'late' }, expected_decision: 'no', problem: null },
    ]);
    const stored = await call('GET', `/api/v1/decision-types/${typeId}/examples`);
    expect(stored.body.total).toBe(0);
  });

  it('is answered with what is in it and what becomes of it, and makes its type [FIL-46]', async () => {
    const { begin, choose, commit, call, list, listUploads } = await openForFiles();
    const begun = await begin(tickets);
    expect([begun.status, begun.body.plan]).toMatchObject([
      201,
      {
        file: { name: 'tickets.csv', rows: 5, report: { delimiter: ';' } },
        questions: [{ about: 'answer', sentence: 'which column holds the labels: label, shop?' }],
        preview: [{ line: 2, cells: ['broken', 'A', 'yes'] }, { line: 3 }, { line: 4 }, { line: 5 }, { line: 6 }],
      },
    ]);
    const { id } = begun.body;
    expect((await commit(id, { name: 'tickets' })).body.error.details).toMatchObject([{ loc: ['body', 'answer', ''] }]);
    expect((await choose(id, { answer: 'label' })).body.plan).toMatchObject({
      answer: 'label',
      questions: [],
      examples: 4,
      labelled: 3,
      new_options: ['yes', 'no'],
      repeated: { count: 1, sentence: expect.stringContaining('6 (as 3)') },
    });
    const { plan } = (await choose(id, { roles: { shop: 'ignore' }, repeated: 'keep' })).body;
    expect(plan.columns.map(({ name, role }: { name: string; role: string }) => [name, role])).toEqual([
      ['text', 'input'],
      ['shop', 'ignore'],
      ['label', 'decision'],
    ]);
    expect([plan.examples, plan.alike.count]).toEqual([5, 1]);
    expect([await list(), listUploads()]).toEqual([[], [expect.any(String)]]);
    expect((await commit(id)).body.error.details[0].loc).toEqual(['body', 'name']);
    const done = (await commit(id, { name: 'tickets' })).body;
    expect(done).toMatchObject({ examples: 5, decision_type: { name: 'tickets' }, merge: null });
    const { items } = (await call('GET', `/api/v1/decision-types/${done.decision_type.id}/examples`)).body;
    expect(items.map((item: { id: string }) => item.id).reverse()).toEqual(done.example_ids);
    expect(items.at(-1)).toMatchObject({ input_payload: { text: 'broken' }, expected_decision: 'yes' });
    expect((await call('GET', `/api/v1/imports/${id}`)).body).toEqual({ id, progress: 1 });
    expect((await commit(id, { name: 'tickets' })).status).toBe(404);
    await expect.poll(listUploads).toEqual([]);
  });

  it('is not committed before what is asked is answered, each label chosen once [FIL-46]', async () => {
    const { begin, choose, commit, call } = await openForFiles();
    const typeId = await makeType(call, { options: ['behalten', 'storniert'] });
    const rows = Array.from(
      { length: 40 },
      (_, i) => `${i},${i === 7 ? 'stornirt' : i % 3 ? 'behalten' : 'storniert'}`,
    );
    const { id, plan } = (await begin(`Betrag,Ergebnis\n${rows.join('\n')}`, { decision_type_id: typeId })).body;
    expect(plan.near).toEqual([{ label: 'stornirt', option: 'storniert', is_open: true }]);
    const refused = (await commit(id)).body.error;
    expect(refused.details).toMatchObject([{ type: 'ambiguous', loc: ['body', 'targets', 'stornirt'] }]);
    const sample = await call('GET', `/api/v1/imports/${id}/rows?label=stornirt&count=2`);
    expect(sample.body).toEqual({ rows: [{ line: 9, cells: ['7', 'stornirt'] }], examples: null, next: null });
    const unknown = await choose(id, { targets: { never: { kind: 'none' } } });
    expect(unknown.body.error.details[0].loc).toEqual(['body', 'targets', 'never']);
    const target = { kind: 'option', option: 'storniert' };
    expect((await choose(id, { targets: { stornirt: target } })).body.plan).toMatchObject({
      near: [{ is_open: false }],
      new_options: [],
    });
    const key = { 'idempotency-key': id };
    const first = await commit(id, {}, key);
    expect(first.body.examples).toBe(40);
    expect((await commit(id, {}, key)).text).toBe(first.text);
    const stats = (await call('GET', `/api/v1/decision-types/${typeId}/examples/stats`)).body;
    expect(stats).toMatchObject({ total: 40, by_option: { storniert: 15, behalten: 25 } });
  });

  it('makes columns that tell who somebody is personal fields, of another type by one choice, behind each door [FIL-47]', async () => {
    const { begin, choose, commit, call } = await openForFiles();
    const people = ['Anna Schmidt', 'Peter Müller', 'Eva Klein'];
    const rows = Array.from(
      { length: 12 },
      (_, i) => `${people[i % 3]};a${i}@b.example;${i};${i % 2 === 0 ? 'da' : 'weg'}`,
    );
    const text = ['Name;E-Mail;Betrag;Ergebnis', ...rows].join('\n');
    const { id, plan } = (await begin(text)).body;
    expect(plan).toMatchObject({ personal: ['Name', 'E-Mail'], pii_fields: ['Name', 'E-Mail'] });
    expect(plan.file.report.account).toContain('Personal fields: Name, E-Mail');
    const learned = (await choose(id, { roles: { Name: 'input' } })).body.plan;
    expect(learned.file.report.account).toContain('Not set as personal fields: Name');
    const slip = (await choose(id, { pii_fields: ['Nam'] })).body.error;
    expect(slip.details[0]).toMatchObject({ type: 'unknown_column', loc: ['body', 'pii_fields'] });
    const chosen = (await choose(id, { answer: 'Ergebnis', pii_fields: plan.personal })).body.plan;
    expect(chosen.file.report.account).toContain('Personal fields: Name, E-Mail');
    const { decision_type: type } = (await commit(id, { name: 'Fälle' })).body;
    expect(type.pii_fields).toEqual(['Name', 'E-Mail']);

    const more = text.replace('E-Mail', 'Telefon');
    const again = (await begin(more, { decision_type_id: type.id })).body;
    expect(again.plan).toMatchObject({ personal: ['Telefon'], pii_fields: null });
    const url = `/api/v1/decision-types/${type.id}`;
    const request = { content: more, mapping: { decision: 'Ergebnis', pii_fields: ['Telefon'] }, commit: true };
    const { key } = (await call('POST', '/api/v1/api-keys', { name: 'labeller', scopes: ['label', 'read'] })).body;
    const held = { authorization: `Bearer ${key}` };
    expect((await call('POST', `${url}/examples/import`, request, held)).status).toBe(403);
    expect((await call('GET', `${url}/examples/stats`)).body.total).toBe(12);
    expect((await call('POST', `${url}/examples/import`, request)).body.file.report.account).toContain(
      'Personal fields: Telefon',
    );
    expect((await call('GET', url)).body.pii_fields).toEqual(['Name', 'E-Mail', 'Telefon']);

    const file = path.join(temporaryFolder(), 'cases.csv');
    writeFileSync(file, text);
    const { flags } = await openSource(file, { personal: ['Name'] });
    expect(toChoice(flags).pii_fields).toEqual(['Name']);
  });

  it('is read otherwise where that is chosen, and keeps what was said of columns that are still there', async () => {
    const { begin, choose } = await openForFiles();
    const { id, plan } = (await begin('Wörter,Urteil\nfünf,ja\nsechs,nein\n')).body;
    expect(plan.columns.map(({ name }: { name: string }) => name)).toEqual(['Wörter', 'Urteil']);
    const role = await choose(id, { answer: 'Urteil' });
    expect(role.body.plan).toMatchObject({ answer: 'Urteil', labelled: 2 });
    const headless = (await choose(id, { header_line: 0 })).body.plan;
    expect([headless.file.rows, headless.answer, headless.file.header.line]).toEqual([3, null, 0]);
    const single = (await choose(id, { delimiter: 'none' })).body.plan;
    expect(single.columns.map(({ name }: { name: string }) => name)).toEqual(['Wörter,Urteil']);
    expect((await choose(id, { answer: 'gone' })).body.error.details[0].type).toBe('unknown_column');
  });

  it('refuses what is no table with the file named by what it is, and leaves nothing of it', async () => {
    const { begin, listUploads } = await openForFiles();
    const refused = await begin(new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47])], 'photo.png'));
    expect([refused.status, refused.body.error.message]).toEqual([
      422,
      expect.stringMatching(/^This is a PNG picture/),
    ]);
    const both = await begin(tickets, { name: 'a', decision_type_id: '01890a5d-ac96-774b-bcce-b302099a8057' });
    expect(both.status).toBe(422);
    await expect.poll(listUploads).toEqual([]);
  });

  it('asks of a key what it changes, ends with a restart, and is seen by nobody else [FIL-46]', async () => {
    const { call, app, begin, commit, choose, close, dataDir } = await openForFiles();
    const typeId = await makeType(call);
    const { key } = (await call('POST', '/api/v1/api-keys', { name: 'labels', scopes: ['read', 'label'] })).body;
    const labels = callerOf(app, { authorization: `Bearer ${key}` });
    expect((await sendForm(labels, '/api/v1/imports', toFile(tickets))).status).toBe(403);
    const own = await sendForm(labels, '/api/v1/imports', toFile('n,label\n1,yes\n2,perhaps\n'), {
      decision_type_id: typeId,
    });
    await labels('PATCH', `/api/v1/imports/${own.body.id}`, { answer: 'label' });
    const committed = await labels('POST', `/api/v1/imports/${own.body.id}/commit`, {});
    expect([own.status, committed.status, committed.body.error.message]).toEqual([
      201,
      403,
      expect.stringContaining('deploy'),
    ]);
    const { id } = (await begin(tickets)).body;
    expect((await labels('PATCH', `/api/v1/imports/${id}`, {})).status).toBe(404);
    await close();
    const again = await openForFiles(dataDir);
    expect((await again.choose(id, {})).status).toBe(404);
    expect((await again.begin(tickets)).status).toBe(201);
    expect(again.listUploads()).toHaveLength(1);
    expect([commit, choose]).toHaveLength(2);
  });

  it('holds two files at once and reads a third one again when it is asked about', async () => {
    const { begin, choose } = await openForFiles();
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await begin(`${name},label\n1,yes\n2,no\n`)).body.id);
    for (const [index, id] of ids.entries()) {
      const { plan } = (await choose(id, {})).body;
      expect(plan.columns[0].name).toBe('abc'[index]);
    }
  });

  it('merges an export with the examples of its type, and asks about conflicts', async () => {
    const { call, begin, commit } = await openForFiles();
    const typeId = await makeType(call);
    const url = `/api/v1/decision-types/${typeId}/examples`;
    await call('POST', url, {
      examples: [
        { input: { n: 1 }, decision: 'yes' },
        { input: { n: 2 }, decision: 'no' },
      ],
    });
    const exported = (await call('GET', `${url}/export?format=jsonl`)).text;
    const { items } = (await call('GET', url)).body;
    await call('PATCH', `${url}/${items[0].id}`, { expected_decision: 'yes' });
    const begun = (await begin(toFile(exported, 'examples.jsonl'), { decision_type_id: typeId })).body;
    expect(begun.plan.merge).toMatchObject({ added: 0, changed: 0, unchanged: 1, conflicts: 1, unknown_decisions: [] });
    const refused = await commit(begun.id);
    expect([refused.status, refused.body.error.details[0].loc]).toEqual([422, ['body', 'on_conflict']]);
    const done = await commit(begun.id, { on_conflict: 'take' });
    expect(done.body).toMatchObject({ examples: 0, example_ids: [], merge: { conflicts: 1 } });
    expect((await call('GET', `${url}/stats`)).body.by_option).toEqual({ yes: 1, no: 1 });
  });
});
