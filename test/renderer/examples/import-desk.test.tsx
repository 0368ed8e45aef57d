import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { isolate } from '../../../src/renderer/parts/text/names.ts';
import { makeType, openForTest } from '../../server/workbench.ts';
import { closePage, showWindow } from '../page.tsx';

afterEach(closePage);

const choose = async (name: string, text: string) =>
  fireEvent.change(await screen.findByLabelText('File'), { target: { files: [new File([text], name)] } });

const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });

describe('Import', () => {
  it('makes a type of a file that nobody prepared, and takes it back as one act', async () => {
    const { call } = await openForTest();
    showWindow(call, '#/new');
    await choose('Cups & plates.csv', 'text;shop;label\nbroken;A;yes\nlate;B;no\nlost;A;Yes\nfine;B;\n');
    await screen.findByText(/Cups & plates\.csv · 4 rows/);
    expect(screen.getByLabelText('Name')).toHaveProperty('value', 'cups-plates');
    fireEvent.change(screen.getByLabelText('Column shop becomes'), { target: { value: 'ignore' } });
    fireEvent.change(screen.getByLabelText('Column label becomes'), { target: { value: 'decision' } });
    fireEvent.change(await screen.findByLabelText('Label Yes means'), { target: { value: 'yes' } });
    fireEvent.click(screen.getByRole('button', { name: 'Create decision type and import 4 rows' }));
    await screen.findByText('4 examples imported from Cups & plates.csv.');
    const types = async () => (await call('GET', '/api/v1/decision-types')).body.items;
    const [type] = await types();
    expect(type).toMatchObject({ name: 'cups-plates', active_version: { options: ['yes', 'no'] } });
    const { items } = (await call('GET', `/api/v1/decision-types/${type.id}/examples?search=lost`)).body;
    expect(items).toMatchObject([{ input_payload: { text: 'lost' }, expected_decision: 'yes' }]);
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(async () => {
      const left = await Promise.all(
        (await types()).map(({ id }: { id: string }) => call('GET', `/api/v1/decision-types/${id}/examples`)),
      );
      expect(left.map(({ body }) => body.total).filter((total) => total > 0)).toEqual([]);
    });
  });

  it('adds to a type, and leaves labels out that it does not know when told so', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    showWindow(call, `#/types/${id}/import`);
    await choose('more.csv', 'text,label\nbroken,yes\nlate,perhaps\n');
    fireEvent.change(await screen.findByLabelText('Column label becomes'), { target: { value: 'decision' } });
    fireEvent.change(await screen.findByLabelText('Label perhaps means'), {
      target: { value: (screen.getAllByText('no label')[0] as HTMLOptionElement).value },
    });
    fireEvent.click(screen.getByRole('button', { name: 'Import 2 rows' }));
    await screen.findByText('2 examples imported from more.csv.');
    const { items } = (await call('GET', `/api/v1/decision-types/${id}/examples`)).body;
    expect(new Set(items.map((item: { expected_decision: string | null }) => item.expected_decision))).toEqual(
      new Set(['yes', null]),
    );
  });

  it('says at its name that another type has it, and adds the rows to that one', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    showWindow(call, '#/new');
    await choose('triage.csv', 'text,label\nbroken,yes\nlate,no\n');
    fireEvent.change(await screen.findByLabelText('Column label becomes'), { target: { value: 'decision' } });
    await screen.findByText(/A decision type has this name/);
    const create = screen.getByRole('button', { name: /^Create decision type/ });
    expect(create).toHaveProperty('disabled', true);
    // With a Cyrillic letter it only looks the same.
    fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'tri\u0430ge ' } });
    await screen.findByText(/looks the same: take another name, or/);
    expect(create).toHaveProperty('disabled', true);
    fireEvent.click(screen.getByRole('button', { name: 'Add the rows to it' }));
    await screen.findByRole('heading', { name: 'Import into triage' });
    fireEvent.change(await screen.findByLabelText('Column label becomes'), { target: { value: 'decision' } });
    fireEvent.click(await screen.findByRole('button', { name: 'Import 2 rows' }));
    await screen.findByText('2 examples imported from triage.csv.');
    expect((await call('GET', `/api/v1/decision-types/${id}/examples`)).body.total).toBe(2);
  });

  it('asks which column is the answer where several could be, and imports nothing before', async () => {
    const { call } = await openForTest();
    showWindow(call, '#/new');
    const rows = Array.from({ length: 40 }, (_, index) =>
      [
        index % 2 === 0 ? 'City' : 'Resort',
        'BB',
        index,
        index === 9 ? '' : index === 7 ? 'stornirt' : index % 3 === 0 ? 'storniert' : 'behalten',
      ].join(';'),
    );
    await choose('buchungen.csv', ['Hotel;Mahlzeit;Betrag;Ergebnis', ...rows].join('\n'));
    await screen.findByRole('radiogroup', { name: 'Which column is the answer?' });
    expect(screen.getAllByRole('radio').map((radio) => radio.getAttribute('aria-label'))).toEqual([
      ...['Ergebnis', 'Hotel'].map(isolate),
      'No column',
    ]);
    screen.getByText('behalten (25) · storniert (13) · stornirt (1)');
    const button = () => screen.getByRole('button', { name: 'Create decision type and import 40 rows' });
    expect(button()).toHaveProperty('disabled', true);
    fireEvent.click(button());
    expect((await call('GET', '/api/v1/decision-types')).body.items).toEqual([]);
    fireEvent.click(screen.getByRole('radio', { name: 'Ergebnis' }));
    expect(screen.getByLabelText('Column Ergebnis becomes')).toHaveProperty('value', 'decision');
    await screen.findByText('Say which labels mean the same.');
    expect(button()).toHaveProperty('disabled', true);
    const question = () =>
      screen.getByRole('region', { name: `Is “${isolate('stornirt')}” the same as “${isolate('storniert')}”?` });
    await waitFor(() =>
      expect(question().textContent).toMatch(/stornirt 1 row“Resort”storniert 13 rows“City”“Resort”/),
    );
    press('n');
    screen.getByText('No, keep both');
    fireEvent.click(screen.getByRole('button', { name: /^Change: Is / }));
    press('y');
    screen.getByText('“stornirt” (1 row) becomes “storniert”.');
    fireEvent.click(button());
    await screen.findByText('40 examples imported from buchungen.csv.');
    const [type] = (await call('GET', '/api/v1/decision-types')).body.items;
    expect(type.active_version.options).toEqual(['storniert', 'behalten']);
  });

  it('says first of a column of answers that most rows have none', async () => {
    const { call } = await openForTest();
    showWindow(call, '#/new');
    const rows = Array.from({ length: 40 }, (_, index) => `${index};${index < 12 ? ['yes', 'no'][index % 2] : ''}`);
    await choose('claims.csv', ['amount;decision', ...rows].join('\n'));
    await screen.findByText(
      `28 of 40 rows have no answer in ${isolate('decision')}: they are imported without a label.`,
    );
  });

  it('asks whether a score that tells the answer is learned from, and leaves another answer out [FIL-40] [FIL-41]', async () => {
    const { call } = await openForTest();
    showWindow(call, '#/new');
    const groupOf = (index: number) =>
      index % 97 === 5 ? 'Passive' : index % 11 > 8 ? 'Promoter' : index % 11 > 6 ? 'Passive' : 'Detractor';
    const rows = Array.from(
      { length: 400 },
      (_, index) =>
        `${index % 11},${'abc'[index % 3]},note ${index % 37},${index % 7 > 2 ? 'kept' : 'left'},${groupOf(index)}`,
    );
    await choose('survey.csv', ['score,shop,note,outcome,label', ...rows].join('\n'));
    fireEvent.click(await screen.findByRole('radio', { name: isolate('label') }));
    await waitFor(() => expect(screen.getByLabelText('Column outcome becomes')).toHaveProperty('value', 'ignore'));
    screen.getByText('It looks like the answer of another decision type.');
    const choice = screen.getByRole('region', { name: `Learn from “${isolate('score')}”?` });
    within(choice).getByText(/^It alone tells the answer in 99% of the rows\. Is it known before the decision\?/);
    const button = () => screen.getByRole('button', { name: 'Create decision type and import 400 rows' });
    screen.getByText('Say whether to learn from score.');
    expect(button()).toHaveProperty('disabled', true);
    fireEvent.click(within(choice).getByRole('button', { name: /^Leave it out/ }));
    expect(screen.getByLabelText('Column score becomes')).toHaveProperty('value', 'ignore');
    fireEvent.click(button());
    await screen.findByText(/^\d+ examples imported from survey\.csv\.$/);
    const [type] = (await call('GET', '/api/v1/decision-types')).body.items;
    const { items } = (await call('GET', `/api/v1/decision-types/${type.id}/examples`)).body;
    expect(Object.keys(items[0].input_payload)).toEqual(['shop', 'note']);
  });

  it('makes a type of each of several answers: after one, the next is offered, of the same file [FIL-43]', async () => {
    const { call } = await openForTest();
    showWindow(call, '#/new');
    const pick = (values: string[], index: number) => values[((index * 7) % 11) % values.length];
    const rows = Array.from({ length: 60 }, (_, index) =>
      [`note ${index % 37}`, pick(['kept', 'left'], index), pick(['calm', 'cross', 'glad'], index * 3 + 1)].join(),
    );
    const next = () => screen.findByRole('button', { name: 'Make a second type from “tone”' });
    await choose('Calls 2026.csv', ['note,outcome,tone', ...rows].join('\n'));
    await screen.findByText(/^Several columns could be\. Each can become a decision type of its own later/);
    const button = () => screen.getByRole('button', { name: 'Create decision type and import 60 rows' });
    fireEvent.click(screen.getByRole('radio', { name: isolate('outcome') }));
    await waitFor(() => expect(button()).toHaveProperty('disabled', false));
    fireEvent.click(button());
    fireEvent.click(await next());
    expect(await screen.findByLabelText('Name')).toHaveProperty('value', 'calls-2026-tone');
    expect(screen.getByLabelText('Column tone becomes')).toHaveProperty('value', 'decision');
    expect(screen.getByLabelText('Column outcome becomes')).toHaveProperty('value', 'ignore');
    fireEvent.click(screen.getByRole('button', { name: 'Create decision type and import 60 rows' }));
    await screen.findByText('60 examples imported from Calls 2026.csv.');
    expect(screen.queryByRole('button', { name: /^Make a second type/ })).toBeNull();
    const { items } = (await call('GET', '/api/v1/decision-types')).body;
    const found = items.map((type: { name: string; active_version: { options: string[] } }) => [
      type.name,
      type.active_version.options.toSorted(),
    ]);
    expect(Object.fromEntries(found)).toEqual({
      'calls-2026': ['kept', 'left'],
      'calls-2026-tone': ['calm', 'cross', 'glad'],
    });
  });

  it('takes the options of a file without labels as they are typed, to label its rows later [FIL-42]', async () => {
    const { call } = await openForTest();
    showWindow(call, '#/new');
    await choose('wishes.csv', 'wish\na room with a view\na late breakfast\na second pillow\n');
    const options = await screen.findByLabelText('Which answers are possible?');
    const button = () => screen.getByRole('button', { name: 'Create decision type and import 3 rows' });
    expect(button()).toHaveProperty('disabled', true);
    fireEvent.paste(options, { clipboardData: { getData: () => 'room,kitchen' } });
    expect(button()).toHaveProperty('disabled', false);
    fireEvent.click(button());
    await screen.findByText('3 examples imported from wishes.csv.');
    const [type] = (await call('GET', '/api/v1/decision-types')).body.items;
    expect(type.active_version.options).toEqual(['room', 'kitchen']);
  });

  it('asks of a type whose options no column holds only about a column that is called an answer', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    showWindow(call, `#/types/${id}/import`);
    await choose('more.csv', 'text,shop,label\nbroken,A,perhaps\nlate,A,never\n');
    await screen.findByRole('radio', { name: 'label' });
    const button = () => screen.getByRole('button', { name: 'Import 2 rows' });
    expect(button()).toHaveProperty('disabled', true);
    fireEvent.click(screen.getByRole('radio', { name: 'No column' }));
    expect(button()).toHaveProperty('disabled', false);
    await choose('known.csv', 'text,shop,was\nbroken,A,yes\nlate,A,no\n');
    await screen.findByText(/known\.csv · 2 rows/);
    expect(screen.queryByRole('radiogroup')).toBeNull();
    expect(screen.getByLabelText('Column was becomes')).toHaveProperty('value', 'decision');
    expect(button()).toHaveProperty('disabled', false);
  });

  it('says why a file cannot be read, and which one cannot be imported', async () => {
    const { call } = await openForTest();
    showWindow(call, '#/new');
    await choose('broken.json', '{"a": ');
    expect((await screen.findByRole('alert')).textContent).toMatch(/^broken\.json: /);
    await choose('words.csv', 'text,other\nbroken,late\n');
    await screen.findByText(/^Type each, with Enter, at least two\./);
    expect(screen.getByRole('button', { name: 'Create decision type and import 1 row' })).toHaveProperty(
      'disabled',
      true,
    );
  });
});
