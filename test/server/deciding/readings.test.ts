/** How a file was read becomes part of its decision type, and calls are read by it. */
import { describe, expect, it } from 'vitest';
import { type Call, openForTest, pollUntil, sendForm } from '../workbench.ts';

const rows = Array.from({ length: 40 }, (_, i) => {
  const late = i % 2 === 0;
  const day = String(1 + (i % 28)).padStart(2, '0');
  return `${day}.06.2017;${late ? 180 + i : 20 + i},75 €;${late ? 'ja' : 'nein'};${i % 5 === 0 ? '' : `A${i % 3}`};${late ? 'weg' : 'da'}`;
});
const csv = ['Anreise;Preis;Stammgast;Hotel;Ergebnis', ...rows].join('\n');
const readings = {
  Anreise: { kind: 'date', order: 'day_first' },
  Preis: { kind: 'number', decimal: ',', unit: '€' },
  Stammgast: { kind: 'boolean', yes: ['ja'], no: ['nein'] },
  Hotel: { kind: 'text' },
};

/** A type that learned its readings from a file, and is decided by two rules and the fallback. */
async function openBookings() {
  const { call } = await openForTest();
  const type = await call('POST', '/api/v1/decision-types', {
    name: 'buchungen',
    options: ['da', 'weg', 'offen'],
    fallback_option: 'offen',
    hard_rules: [
      { name: 'teuer', condition: 'ctx.Preis > 100 && ctx.Stammgast == true', then: 'weg', priority: 1 },
      { name: 'Juni', condition: 'ctx.Anreise < "2017-07-01" && ctx.Hotel == null', then: 'da', priority: 2 },
    ],
  });
  const url = `/api/v1/decision-types/${type.body.id}`;
  const importAs = (content: string, fields: object = {}) =>
    call('POST', `${url}/examples/import`, { content, commit: true, ...fields });
  const deploy = async () => {
    const { id } = (await call('POST', `${url}/policies`, { kind: 'rules_only' })).body;
    await call('POST', `${url}/policies/${id}/deploy`);
  };
  const decide = async (input: object, query = '') =>
    (await call('POST', `/api/v1/decide${query}`, { decision_type: 'buchungen', input })).body;
  const readVersion = async () => (await call('GET', url)).body.active_version;
  return { call, url, importAs, deploy, decide, readVersion };
}

describe('the readings of a type', () => {
  it('are those of the file it learned from, where it has none; calls are read by them [RDG-4] [RDG-1] [RDG-3]', async () => {
    const { call, url, importAs, deploy, decide, readVersion } = await openBookings();
    expect((await readVersion()).readings).toEqual({});
    const preview = await call('POST', `${url}/examples/import`, { content: csv });
    expect([preview.body.readings, (await readVersion()).readings]).toEqual([readings, {}]);
    expect((await importAs(csv)).body.readings).toEqual(readings);
    expect(await readVersion()).toMatchObject({ version_number: 2, readings });
    await deploy();
    const cells = { Anreise: '12.06.2017', Preis: '182,75 €', Stammgast: 'ja', Hotel: '' };
    const decided = await decide(cells);
    expect(decided).toMatchObject({ decision: 'weg', rules_triggered: ['teuer'] });
    expect(decided).not.toHaveProperty('unread');
    const item = { decision_type: 'buchungen', input: cells };
    const { results } = (await call('POST', '/api/v1/decide/batch', [item])).body;
    for (const answer of [await decide(cells, '?dry_run=true'), results[0]]) {
      expect(answer).toMatchObject({ decision: 'weg', rules_triggered: ['teuer'] });
    }
    const { key } = (await call('POST', '/api/v1/api-keys', { name: 'agent' })).body;
    const params = { name: 'make_decision', arguments: item };
    const asked = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const accept = 'application/json, text/event-stream';
    const told = await call('POST', '/mcp', asked, { authorization: `Bearer ${key}`, accept });
    expect(told.text).toContain('"rules_triggered":["teuer"]');
    expect(await decide({ ...cells, Stammgast: 'nein' })).toMatchObject({ rules_triggered: ['Juni'] });
    expect(await decide({ Anreise: '2017-06-12', Preis: 182.75, Stammgast: true, Hotel: null })).toMatchObject({
      rules_triggered: ['teuer'],
    });
    expect(await decide({ ...cells, Preis: '5 $', Anreise: 'bald' })).toMatchObject({
      decision: 'offen',
      unread: ["'Anreise' must be a date with the day first", "'Preis' must be a number with a decimal comma in €"],
    });
    // The log keeps what was sent; a correction makes an example of what was read.
    const { items } = (await call('GET', `${url}/logs`)).body;
    const log = items.find(({ input }: { input: { Preis: unknown } }) => input.Preis === '182,75 €');
    expect(log.input).toMatchObject({ Anreise: '12.06.2017' });
    const corrected = await call('PUT', `${url}/logs/${log.id}/correction`, { decision: 'da' });
    expect(corrected.status, corrected.text).toBe(200);
    const newest = (await call('GET', `${url}/examples?page_size=1`)).body.items[0];
    expect(newest.input_payload).toMatchObject({ Anreise: '2017-06-12', Preis: 182.75, Hotel: null });
  });

  it('are lists of what its cells list, and first days of its months, each as rules and examples have them [RDG-4] [RDG-1]', async () => {
    const { call, url, importAs, deploy, decide, readVersion } = await openBookings();
    const marks = ['Balkon', 'Meerblick', 'Bad', 'Garten'];
    const cells = Array.from({ length: 40 }, (_, i) => marks.filter((_mark, at) => (i + 1) & (1 << at)).join(' | '));
    const lines = cells.map((cell, i) => `${cell};${1 + (i % 12)}/2024;${i % 2 === 0 ? 'da' : 'weg'}`);
    const { body } = await importAs(['Merkmale;Monat;Ergebnis', ...lines].join('\n'));
    const learned = { Merkmale: { kind: 'list', separator: '|' }, Monat: { kind: 'date', order: 'month_only' } };
    expect(body.readings).toEqual(learned);
    expect(body.first_examples[2].input_payload).toEqual({ Merkmale: ['Balkon', 'Meerblick'], Monat: '2024-03-01' });
    expect(await readVersion()).toMatchObject({ readings: learned });
    const condition = '"Meerblick" in ctx.Merkmale && ctx.Monat >= "2024-03-01"';
    const rule = { name: 'Sicht', condition, then: 'weg', priority: 1 };
    expect((await call('PUT', url, { hard_rules: [rule] })).status).toBe(200);
    await deploy();
    for (const Merkmale of ['Bad|Meerblick', ['Bad', 'Meerblick']])
      expect(await decide({ Merkmale, Monat: 'März 2024' })).toMatchObject({ rules_triggered: ['Sicht'] });
    expect(await decide({ Merkmale: 'Ohne Meerblick', Monat: '3/2024' })).toMatchObject({ rules_triggered: [] });
    expect(await decide({ Merkmale: 'Bad', Monat: 'bald' })).toMatchObject({
      unread: ["'Monat' must be a month of a year"],
    });
  });

  it('stay what they are in a later import, which is read by them, and can be changed [RDG-4] [RDG-2]', async () => {
    const { call, url, importAs, deploy, decide, readVersion } = await openBookings();
    await importAs(csv);
    // No value tells day and month apart: the type does.
    const more = 'Anreise,Preis,Stammgast,Land,Ergebnis\n03.04.2017,"7,50",ja,DE,da\n05.06.2017,"8,50",nein,FR,weg\n';
    const { body } = await importAs(more);
    expect(body.first_examples[0].input_payload).toEqual({
      Anreise: '2017-04-03',
      Preis: 7.5,
      Stammgast: true,
      Land: 'DE',
    });
    expect(body.columns[0]).toMatchObject({ read_as: 'date_day_first', reason: 'As the decision type reads it' });
    expect(body.readings).toEqual({ Land: { kind: 'text' } });
    // A file that is written in another way is read in its own, and the type stays.
    const english = 'Preis,Ergebnis\n"1,182.75",weg\n20.50,da\n';
    expect((await importAs(english)).body.first_examples[0].input_payload).toEqual({ Preis: 1182.75 });
    expect((await readVersion()).readings).toEqual({ ...readings, Land: { kind: 'text' } });
    await deploy();
    const changed = { ...readings, Stammgast: { kind: 'boolean', yes: ['vorhanden'], no: [], missing: ['?'] } };
    expect((await call('PUT', url, { readings: changed })).body.active_version).toMatchObject({ readings: changed });
    expect(await decide({ Preis: '182,75', Stammgast: 'Vorhanden' })).toMatchObject({ decision: 'weg' });
    expect(await decide({ Preis: '182,75', Stammgast: 'ja' })).toMatchObject({
      unread: ["'Stammgast' must be yes or no"],
    });
    expect(await decide({ Preis: '182,75', Stammgast: '?' })).not.toHaveProperty('unread');
    expect((await call('PUT', url, { readings: {} })).status).toBe(200);
    expect(await decide({ Preis: '182,75', Stammgast: 'vorhanden' })).toMatchObject({ decision: 'offen' });
  });

  it('read examples that a program sends, and refuse what is not of its kind [RDG-1]', async () => {
    const { call, url, importAs } = await openBookings();
    await importAs(csv);
    const add = (input: object) => call('POST', `${url}/examples`, { examples: [{ input, decision: 'da' }] });
    expect((await add({ Preis: '7,50 €', Anreise: '01.02.2017' })).body[0].input_payload).toEqual({
      Preis: 7.5,
      Anreise: '2017-02-01',
    });
    expect((await add({ Preis: 'viel' })).body.error.details).toMatchObject([
      { loc: ['body', 'examples', 0, 'input'], msg: "'Preis' must be a number with a decimal comma in €" },
    ]);
  });

  it('come with an import by a key only where it may deploy [RDG-4]', async () => {
    const { call, url, readVersion } = await openBookings();
    const { key } = (await call('POST', '/api/v1/api-keys', { name: 'labeller', scopes: ['label', 'read'] })).body;
    const headers = { authorization: `Bearer ${key}` };
    const imported = await call('POST', `${url}/examples/import`, { content: csv, commit: true }, headers);
    expect([imported.status, (await readVersion()).readings]).toEqual([200, {}]);
    const byKey: Call = (method, path, body, of) => call(method, path, body, { ...of, ...headers });
    const decision_type_id = url.split('/').at(-1) ?? '';
    const begun = await sendForm(byKey, '/api/v1/imports', new File([csv], 'bookings.csv'), { decision_type_id });
    await byKey('PATCH', `/api/v1/imports/${begun.body.id}`, { answer: 'Ergebnis' });
    const committed = await byKey('POST', `/api/v1/imports/${begun.body.id}/commit`, {});
    expect([begun.status, committed.status, (await readVersion()).readings]).toEqual([201, 200, {}]);
  });

  it('are those of the log, too: what rules would do, and which values nobody can read [RDG-1] [DRF-1] [RSH-12]', async () => {
    const { call, url, importAs, deploy, decide } = await openBookings();
    expect((await importAs(csv)).status).toBe(200);
    const more = Array.from({ length: 20 }, (_, i) => ({
      input: { Anreise: `1${i % 10}.07.2017`, Preis: `${60 + 5 * i},25 €`, Stammgast: 'ja', Hotel: 'A1' },
      decision: 'da',
    }));
    expect((await call('POST', `${url}/examples`, { examples: more })).status).toBe(201);
    await deploy();
    for (let i = 0; i < 60; i += 1) {
      const cells = { Anreise: `12.0${1 + (i % 9)}.2017`, Preis: `${50 + 2 * i},75 €`, Hotel: 'A1' };
      await decide({ ...cells, Stammgast: i % 2 === 0 ? 'vielleicht' : 'ja' });
    }
    const hard_rules = [
      { name: 'dear', condition: 'ctx.Preis > 100', then: 'weg' },
      { name: 'early', condition: 'ctx.Anreise < "2017-03-01"', then: 'da' },
    ];
    const { body } = await call('POST', `${url}/rules/analyse`, { rules: hard_rules });
    const [dear, early] = body.impact.rules;
    expect([dear.decisions.matched, early.decisions.matched]).toEqual([35, 6]);
    const drift = await pollUntil(
      () => call('GET', `${url}/drift`),
      (answer) => answer.body.state === 'ready',
    );
    const sentences = drift.body.items.map(({ sentence }: { sentence: string }) => sentence);
    expect(sentences).toContain('Stammgast is unreadable: 50% of the decisions, none of the examples.');
    expect(sentences.join()).not.toContain('Stammgast is missing');
  });

  it('keep what they cannot read, and masks: in rows that are drawn or corrected, and where rules are tried [RDG-6]', async () => {
    const { call, url, importAs, deploy, decide } = await openBookings();
    await importAs(csv);
    await call('PUT', url, { pii_fields: ['Anreise'] });
    await deploy();
    await decide({ Anreise: '12.06.2017', Preis: '182,75 €', Stammgast: 'vielleicht', Hotel: 'A1' });
    const [log] = (await call('GET', `${url}/logs`)).body.items;
    expect(log.input.Anreise).toMatch(/^pii:/);
    await call('PUT', `${url}/logs/${log.id}/correction`, { decision: 'da' });
    const [example] = (await call('GET', `${url}/examples?page_size=1`)).body.items;
    expect(example.input_payload).toEqual({ ...log.input, Preis: 182.75 });
    expect(example.input_payload.Stammgast).toBe('vielleicht');
    const rules = [{ name: 'early', condition: 'ctx.Anreise < "2017-03-01"', then: 'da' }];
    const { body } = await call('POST', `${url}/rules/analyse`, { rules });
    expect(body.impact.rules[0].decisions).toMatchObject({ matched: 0, masked: 1 });
    // On a busy machine the 150 ms of the search may be over before it finds anything.
    const { body: explained } = await pollUntil(
      () => call('POST', `${url}/logs/${log.id}/explain`),
      ({ body: { flips } }) => flips.length > 0,
    );
    const changes = explained.flips.flatMap((flip: { changes: { field: string; from: unknown }[] }) => flip.changes);
    expect(changes).toContainEqual(expect.objectContaining({ field: 'Stammgast', from: 'vielleicht', to: true }));
  });

  it('are those of examples that were there before them: rules, proposals, findings and numbers agree [RDG-6]', async () => {
    const { call, url } = await openBookings();
    const examples = Array.from({ length: 120 }, (_, i) => ({
      input: { Preis: `${20 + 2 * i},75 €`, Stammgast: i % 3 === 0 ? 'ja' : 'nein', Hotel: `A${i % 4}` },
      decision: i >= 60 ? 'weg' : 'da',
    }));
    expect((await call('POST', `${url}/examples`, { examples })).status).toBe(201);
    const { Anreise: _, ...ofExamples } = readings;
    expect((await call('PUT', url, { readings: ofExamples, hard_rules: [] })).status).toBe(200);
    const rules = [{ name: 'dear', condition: 'ctx.Preis > 140', then: 'weg' }];
    const { impact, fields } = (await call('POST', `${url}/rules/analyse`, { rules })).body;
    expect(impact.rules[0].examples).toMatchObject({ matched: 60, agrees: 60, disagrees: 0 });
    expect(fields).toContainEqual(expect.objectContaining({ path: ['Preis'], types: ['number'] }));
    const proposed = (await call('GET', `${url}/rule-proposals`)).body;
    expect(JSON.stringify(proposed)).toContain('ctx.Preis');
    const numbers = (await call('GET', `${url}/examples/numbers`)).body;
    expect(JSON.stringify(numbers)).toContain('"Preis"');
  });
});
