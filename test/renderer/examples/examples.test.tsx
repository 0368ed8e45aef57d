import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Call, makeType, openForTest } from '../../server/workbench.ts';
import { closePage, showWindow } from '../page.tsx';

afterEach(closePage);

const messages = ['the cup is broken', 'the plate is late', 'the bowl is lost', 'the jug is chipped'];

/** A window at the examples of a type; the first message is the newest, so it comes first. */
async function openExamples(
  query: string,
  decisions: readonly (string | null)[] = [null, null, null, null],
  onCall: (path: string) => void = () => undefined,
) {
  const { call } = await openForTest();
  const id = await makeType(call, { reason_codes: ['DAMAGE', 'DELAY'], description: 'Pay for what broke.' });
  const url = `/api/v1/decision-types/${id}`;
  for (const [place, message] of [...messages.entries()].reverse()) {
    await call('POST', `${url}/examples`, {
      examples: [{ input: { message, amount: place + 1 }, decision: decisions[place] ?? null }],
    });
  }
  const noted: Call = (method, path, ...rest) => {
    onCall(path);
    return call(method, path, ...rest);
  };
  showWindow(noted, `#/types/${id}/examples?${query}`);
  return { call, url };
}

const press = (key: string, more: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
const card = () => screen.findByLabelText('The example to label');
const shows = (text: string) => waitFor(async () => expect((await card()).textContent).toContain(text));

/** Each message with its stored label. */
async function readLabels(call: Call, url: string) {
  const { items } = (await call('GET', `${url}/examples?page_size=100`)).body;
  return Object.fromEntries(
    items.map((item: { input_payload: { message: string }; expected_decision: string | null }) => [
      item.input_payload.message,
      item.expected_decision,
    ]),
  );
}

describe('examples, one at a time', () => {
  it('takes each label by its key, shows the next row, and takes labels back', async () => {
    const { call, url } = await openExamples('queue=to-label');
    await shows('the cup is broken');
    screen.getByText('Pay for what broke.');
    press('1');
    await shows('the plate is late');
    press('2');
    await shows('the bowl is lost');
    const answers = within(screen.getByRole('region', { name: 'Last answers' })).getAllByRole('listitem');
    const [second, first] = answers.map((answer) => answer.textContent);
    expect(second).toMatch(/^no.*the plate is late.*amount: 2/);
    expect(first).toMatch(/^yes.*the cup is broken/);
    await waitFor(async () =>
      expect(await readLabels(call, url)).toMatchObject({ 'the cup is broken': 'yes', 'the plate is late': 'no' }),
    );
    press('u');
    await shows('the plate is late');
    await waitFor(async () => expect((await readLabels(call, url))['the plate is late']).toBeNull());
    fireEvent.click(within(await card()).getByRole('button', { name: /yes/ }));
    await waitFor(async () => expect((await readLabels(call, url))['the plate is late']).toBe('yes'));
  });

  it('makes a hint of a search by one key: it stands in the sheet, teaches and decides nothing [RUL-17]', async () => {
    const { call, url } = await openExamples('queue=all&view=card&search=late');
    await shows('the plate is late');
    press('h');
    const dialog = within(await screen.findByRole('dialog'));
    await dialog.findByText('ctx.message.foldCase().contains("late")');
    fireEvent.click(dialog.getByLabelText('These rows are', { selector: 'input' }));
    fireEvent.click(await screen.findByRole('option', { name: 'no', hidden: true }));
    fireEvent.click(dialog.getByRole('button', { name: 'Make the hint' }));
    const sheet = within(await screen.findByRole('grid', { name: 'Rules' }));
    await sheet.findByText('hint');
    await screen.findByText(/a training takes it for no\. It decides nothing/);
    await sheet.findByText('no label');
    fireEvent.click(await screen.findByRole('button', { name: /^Save/ }));
    await waitFor(async () =>
      expect((await call('GET', url)).body.active_version.hard_rules).toEqual([
        {
          name: 'late',
          condition: 'ctx.message.foldCase().contains("late")',
          then: 'no',
          reason_code: null,
          priority: 10,
          hint: true,
        },
      ]),
    );
  });

  it('is asked for on the way to it, once', async () => {
    const asked: string[] = [];
    // All have labels: then the place opens with the table.
    const { call, url } = await openExamples('queue=all&view=card', ['yes', 'no', 'yes', 'no'], (path) =>
      asked.push(path),
    );
    const readsRows = () => asked.filter((path) => path.includes('/examples?'));
    const lists = (text: string) => screen.findByRole('gridcell', { name: text });
    await shows('the cup is broken');
    press('2');
    await shows('the plate is late');
    await waitFor(async () => expect((await readLabels(call, url))['the cup is broken']).toBe('no'));
    const follow = (name: RegExp) => fireEvent.click(screen.getByRole('link', { name }));
    follow(/^Define/);
    await screen.findByLabelText('Description');
    const before = readsRows().length;
    // However busy the machine is, whoever has pointed at the link comes within the second.
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    fireEvent.pointerEnter(screen.getByRole('link', { name: /^Examples/ }));
    await waitFor(() => expect(readsRows()).toHaveLength(before + 1));
    follow(/^Examples/);
    await lists('the plate is late');
    expect(readsRows()).toHaveLength(before + 1);
  });

  it('begin, where rows are open, with those worth most, and say how far the labels are', async () => {
    await openExamples('');
    expect((await card()).textContent).toMatch(/Drawn at random|taken evenly/);
    expect(window.location.hash).toMatch(/queue=useful/);
    await screen.findByText('0 labels, 0 of the 20 random rows from which accuracy is known.');
    fireEvent.click(screen.getByRole('button', { name: /^To label/ }));
    await shows('the cup is broken');
    expect(screen.queryByText(/random rows/)).toBeNull();
  });

  it('flags, reviews, skips and deletes by key', async () => {
    const { call, url } = await openExamples('queue=all&view=card', ['yes', 'no', 'yes', 'no']);
    const read = async () => (await call('GET', `${url}/examples?page_size=100`)).body.items;
    await shows('the cup is broken');
    const wasReviewed: boolean = (await read())[2].reviewed;
    press('f');
    await shows('the plate is late');
    press('j');
    await shows('the bowl is lost');
    press('v');
    press('k');
    await shows('the plate is late');
    press('Delete');
    await screen.findByText('The example was deleted.');
    await shows('the bowl is lost');
    await waitFor(async () => {
      const rows = await read();
      expect(rows).toHaveLength(3);
      expect(rows[0]).toMatchObject({ input_payload: { message: 'the cup is broken' }, status: 'flagged' });
      expect(rows[1]).toMatchObject({ input_payload: { message: 'the bowl is lost' }, reviewed: !wasReviewed });
    });
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(async () => expect(await read()).toHaveLength(4));
  });

  it('gives out the rows worth most, with why each comes', async () => {
    const { call, url } = await openExamples('queue=useful', ['yes', 'no', null, null]);
    const first = (await card()).textContent ?? '';
    press('1');
    await waitFor(async () => expect((await card()).textContent).not.toBe(first));
    await waitFor(async () => {
      const labels = Object.values(await readLabels(call, url));
      expect(labels.filter((label) => label === null)).toHaveLength(1);
    });
  });

  it('says when a queue is done, and goes on with all examples', async () => {
    await openExamples('queue=flagged&view=card');
    await screen.findByText('Done: nothing left in this queue');
    fireEvent.click(screen.getByRole('button', { name: 'Show all examples' }));
    await shows('the cup is broken');
  });
});

describe('the large text of a card', () => {
  async function openRows(toInput: (place: number) => object) {
    const { call } = await openForTest();
    const id = await makeType(call, {
      description: '# Pay\nWithin **30 days**, *not* later:\n1. what `broke`\n2. <b>',
    });
    const examples = Array.from({ length: 12 }, (_, place) => ({ input: toInput(place) }));
    await call('POST', `/api/v1/decision-types/${id}/examples`, { examples });
    showWindow(call, `#/types/${id}/examples?view=card&queue=to-label`);
    return card();
  }
  const hotel = (place: number) => `The ${place % 2 === 0 ? 'Resort' : 'City'} Hotel beside the station of the town`;

  it('is the field that says something else in each row, and none where all repeat themselves', async () => {
    const shown = await openRows((place) => ({ hotel: hotel(place), note: `came ${place} days late` }));
    await shows('came 11 days late');
    expect(shown.querySelector('.main-text')?.textContent).toBe('came 11 days late');
    const guideline = screen.getByRole('region', { name: 'Guideline' });
    within(guideline).getByRole('heading', { name: 'Pay' });
    expect(
      within(guideline)
        .getAllByRole('listitem')
        .map(({ innerHTML }) => innerHTML),
    ).toEqual(['what <code>broke</code>', '&lt;b&gt;']);
    expect(guideline.querySelector('p')?.textContent).toBe('Within 30 days, not later:');
    closePage();
    await openRows((place) => ({ hotel: hotel(place), nights: place }));
    await shows('The City Hotel');
    expect((await card()).querySelector('.main-text')).toBeNull();
  });
});

const saved = (call: Call, url: string, expected: object) =>
  waitFor(async () => expect(await readLabels(call, url)).toMatchObject(expected));

describe('a window that works alone', () => {
  const queue = (name: string) => fireEvent.click(screen.getByRole('button', { name: new RegExp(`^${name}`) }));
  const read = (call: Call, url: string) => readLabels(call, url).then(Object.values<string | null>);

  it('orders a second reading, reads it, and settles what differs: nothing is refused [REA-6]', async () => {
    const { call, url } = await openExamples('queue=second-reading', ['yes', 'yes', 'yes', 'yes']);
    await screen.findByText('Done: nothing left in this queue');
    await call('POST', `${url}/examples/second-readings`, { share: 0.75 });
    fireEvent.click(screen.getByRole('button', { name: 'Second reading of 10%' }));
    // What was ordered is there and takes keys, without another press.
    await waitFor(() => expect(document.querySelector('.card:focus .main-text')).not.toBeNull());
    const texts: string[] = [];
    for (const key of ['2', '2', '1']) {
      const text = (await card()).querySelector('.main-text, .fields')?.textContent ?? '';
      texts.push(text);
      press(key);
      await waitFor(() => expect(screen.queryByText(text)).toBeNull());
    }
    await screen.findByText(/Two readers agree on 33%/);
    queue('Conflicts');
    for (const key of ['2', '1']) {
      // The label is the first one until somebody settles it, not what was read beside it.
      await waitFor(() => expect(document.querySelector('.card .muted.small')?.textContent).toMatch(/yes$/));
      const { textContent } = await card();
      press(key);
      await waitFor(() => expect(screen.queryByLabelText('The example to label')?.textContent).not.toBe(textContent));
    }
    await waitFor(async () =>
      expect((await call('GET', `${url}/agreement`)).body).toMatchObject({ conflicts: 0, settled: 2 }),
    );
    expect(screen.queryByRole('alert')?.textContent ?? '').not.toMatch(/not saved/);
    expect((await read(call, url)).filter((label) => label === 'no')).toHaveLength(1);
  });

  it('goes back to a row that somebody else has labelled, names it, and says so no longer than it is there', async () => {
    const { call, url } = await openExamples('queue=to-label');
    await shows('the cup is broken');
    const { items } = (await call('GET', `${url}/examples?page_size=100`)).body;
    const { id } = items.find((item: { input_payload: { message: string } }) => /cup/.test(item.input_payload.message));
    await call('PATCH', `${url}/examples/${id}`, { expected_decision: 'no' });
    press('1');
    await screen.findByText(
      /^The label of “the cup is broken.*was not saved\. Somebody else has labelled it otherwise/,
    );
    await shows('the cup is broken');
    fireEvent.click(screen.getByRole('link', { name: /^Define/ }));
    await screen.findByLabelText('Description');
    expect(screen.queryByRole('alert')).toBeNull();
  });
});

describe('the counts of the queues', () => {
  const read = () =>
    ['To label', 'Most useful next', 'Not reviewed', 'Flagged', 'yes'].map((name) =>
      Number(
        screen
          .getAllByRole('button')
          .find(({ textContent }) => textContent?.startsWith(name) && /\d$/.test(textContent))
          ?.textContent?.slice(name.length),
      ),
    );

  it('follow each label, flag and undo at once, and are what the server counts', async () => {
    const { call, url } = await openExamples('queue=to-label', ['yes', null, null, null]);
    await shows('the plate is late');
    expect(read()).toEqual([3, 3, 4, 0, 1]);
    screen.getByText('3 in this queue');
    press('1');
    await waitFor(() => expect(read()).toEqual([2, 2, 3, 0, 2]));
    press('f');
    await waitFor(() => expect(read()).toEqual([2, 1, 3, 1, 2]));
    press('u');
    await waitFor(() => expect(read()).toEqual([2, 2, 3, 0, 2]));
    press('u');
    await waitFor(() => expect(read()).toEqual([3, 3, 4, 0, 1]));
    press('f');
    await waitFor(async () => expect((await call('GET', `${url}/examples/stats`)).body.by_queue.flagged).toBe(1));
    expect(read()).toEqual([3, 2, 4, 1, 1]);
  });

  it('are followed by D to random rows alone, which figures are measured on [LBL-13]', async () => {
    await openExamples('queue=to-label', ['yes', null, null, null]);
    await shows('the plate is late');
    press('d');
    await screen.findByText(/Drawn at random, to measure by/);
    expect(window.location.hash).toContain('queue=random');
    screen.getByText('3 in this queue');
    expect(document.querySelector('progress')?.getAttribute('max')).toBe('20');
  });

  it('stand beside what more labels would bring, as the newest training has it [DRW-6]', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    await call('POST', `/api/v1/decision-types/${id}/examples`, { examples: [{ input: { message: 'a cup' } }] });
    const stop_hint = 'About +1.0 points for 100 more labels (−0.5 to +2.5).';
    // What it says only a training knows.
    const answer: Call = async (method, address, ...rest) => {
      const said = await call(method, address, ...rest);
      if (!address.includes('/examples/next')) return said;
      const body = { ...said.body, stop_hint };
      return { ...said, body, text: JSON.stringify(body) };
    };
    showWindow(answer, `#/types/${id}/examples?view=card&queue=useful`);
    await screen.findByText(stop_hint);
  });

  it('lose a suspect label once it is confirmed, and have it back with the undo', async () => {
    const stats = { suspect: 2 };
    const { call } = await openForTest();
    const id = await makeType(call);
    const url = `/api/v1/decision-types/${id}`;
    await call('POST', `${url}/examples`, { examples: [{ input: { message: 'a cup' }, decision: 'yes' }] });
    // Which labels are suspect only the server knows, after a training: here it says what it would say then.
    const answer: Call = async (method, address, ...rest) => {
      const said = await call(method, address, ...rest);
      if (!address.endsWith('/examples/stats')) return said;
      const body = { ...said.body, by_queue: { ...said.body.by_queue, ...stats } };
      return { ...said, body, text: JSON.stringify(body) };
    };
    showWindow(answer, `#/types/${id}/examples?view=card&queue=all`);
    await shows('a cup');
    const suspects = () => screen.getByRole('button', { name: /^Suspect labels/ }).textContent;
    expect(suspects()).toBe('Suspect labels2');
    stats.suspect = 1;
    press('v');
    await waitFor(() => expect(suspects()).toBe('Suspect labels1'));
    stats.suspect = 2;
    press('u');
    await waitFor(() => expect(suspects()).toBe('Suspect labels2'));
  });
});

describe('examples in a table', () => {
  const grid = () => screen.findByRole('grid', { name: 'Examples' });
  const firstRow = async () => within(await grid()).findByRole('row', { name: /the cup is broken/ });

  it('has a column for each field and the row under the cursor whole beside it', async () => {
    await openExamples('view=table', ['yes', 'no', 'yes', null]);
    await firstRow();
    expect(
      within(await grid())
        .getAllByRole('columnheader')
        .map((header) => header.textContent),
    ).toEqual(expect.arrayContaining(['Label', 'message', 'amount', 'Reviewed', 'Source']));
    fireEvent.click(within(await grid()).getByText('the bowl is lost'));
    const whole = await screen.findByRole('region', { name: 'The example' });
    await waitFor(() => expect(whole.textContent).toContain('the bowl is lost'));
    press('End');
    await waitFor(() => expect(whole.textContent).toContain('the jug is chipped'));
    press('Home');
    await waitFor(() => expect(whole.textContent).toContain('the cup is broken'));
  });

  it('labels and deletes many rows at once, and takes that back', async () => {
    const { call, url } = await openExamples('view=table', ['yes', 'no', 'yes', null]);
    await firstRow();
    (await grid()).focus();
    press('x');
    press('x');
    await screen.findByText('2 selected');
    fireEvent.click(screen.getByRole('button', { name: 'Mark as reviewed' }));
    await screen.findByText('2 examples reviewed.');
    (await grid()).focus();
    press('a', { ctrlKey: true });
    await screen.findByText('4 selected');
    fireEvent.click(screen.getByRole('button', { name: 'Delete' }));
    await screen.findByText('4 examples deleted.');
    expect(await readLabels(call, url)).toEqual({});
    fireEvent.click(screen.getAllByRole('button', { name: 'Undo' }).at(-1) ?? document.body);
    await waitFor(async () =>
      expect(await readLabels(call, url)).toEqual({
        'the cup is broken': 'yes',
        'the plate is late': 'no',
        'the bowl is lost': 'yes',
        'the jug is chipped': null,
      }),
    );
  });

  it('labels a row again after all of them were labelled at once', async () => {
    const { call, url } = await openExamples('queue=all&view=card');
    await shows('the cup is broken');
    press('1');
    await saved(call, url, { 'the cup is broken': 'yes' });
    fireEvent.click(screen.getByRole('radio', { name: 'Table' }));
    await firstRow();
    (await grid()).focus();
    press('a', { ctrlKey: true });
    await screen.findByText('4 selected');
    fireEvent.click(screen.getByRole('combobox', { name: 'Label the selected examples' }));
    fireEvent.click(await screen.findByRole('option', { name: 'no' }));
    await saved(call, url, { 'the cup is broken': 'no', 'the jug is chipped': 'no' });
    fireEvent.click(screen.getByRole('radio', { name: 'Card' }));
    await card();
    fireEvent.click(screen.getByRole('button', { name: /^All examples/ }));
    await shows('the cup is broken');
    (await card()).focus();
    press('1');
    await saved(call, url, { 'the cup is broken': 'yes', 'the jug is chipped': 'no' });
    expect(screen.queryByRole('alert')?.textContent ?? '').not.toMatch(/not saved/);
  });

  it('says how many examples fit a filter, not how many are loaded', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    const examples = Array.from({ length: 230 }, (_, place) => ({ input: { place }, decision: 'yes' }));
    await call('POST', `/api/v1/decision-types/${id}/examples`, { examples });
    showWindow(call, `#/types/${id}/examples?view=table&queue=option:yes`);
    (await grid()).focus();
    await screen.findByText('230 rows');
    press('2');
    await screen.findByText('229 rows');
    press('a', { ctrlKey: true });
    await screen.findByText('229 selected');
  });

  it('finds words in the inputs, and says so where none fits', async () => {
    await openExamples('view=table');
    await firstRow();
    const search = (words: string) => {
      const box = screen.getByLabelText('Search in the inputs');
      fireEvent.change(box, { target: { value: words } });
      fireEvent.keyDown(box, { key: 'Enter' });
    };
    search('plate');
    await waitFor(async () => expect(within(await grid()).queryByText('the cup is broken')).toBeNull());
    within(await grid()).getByText('the plate is late');
    search('saucer');
    await screen.findByText('No example fits');
  });
});

describe('adding examples', () => {
  it('begins at nothing, refuses what is no JSON while it is typed, and adds one', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    showWindow(call, `#/types/${id}/examples`);
    await screen.findByText('No examples yet');
    fireEvent.click(screen.getByRole('button', { name: 'Add example' }));
    const input = await screen.findByLabelText('Input (JSON)');
    fireEvent.change(input, { target: { value: '{"amount": ' } });
    expect(screen.getByRole('button', { name: 'Add' })).toHaveProperty('disabled', true);
    fireEvent.change(input, { target: { value: '{"amount": 7}' } });
    fireEvent.click(screen.getByRole('button', { name: 'Add' }));
    await waitFor(async () =>
      expect((await call('GET', `/api/v1/decision-types/${id}/examples`)).body.items).toMatchObject([
        { input_payload: { amount: 7 }, expected_decision: null },
      ]),
    );
  });

  it('asks a teacher for ten and takes them back at once', async () => {
    const { call, url } = await openExamples('view=table', ['yes', 'no', 'yes', 'no']);
    fireEvent.click(await screen.findByRole('button', { name: 'Add…' }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Generate 10 examples' }));
    await screen.findAllByText(/10 synthetic examples were generated/);
    const count = async () => (await call('GET', `${url}/examples`)).body.total;
    expect(await count()).toBe(14);
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(async () => expect(await count()).toBe(4));
  });
});

describe('findings', () => {
  const same = { message: 'the very same cup' };
  const given = ['yes', 'yes', 'no'].map((decision) => ({ input: same, decision }));
  const readSame = async (call: Call, url: string) =>
    (await call('GET', `${url}/examples?search=very`)).body.items.map(
      (item: { expected_decision: string }) => item.expected_decision,
    );

  it('take back by U what L did, also before the server has answered', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    const url = `/api/v1/decision-types/${id}`;
    await call('POST', `${url}/examples`, { examples: given });
    const before = await readSame(call, url);
    const answered = Promise.withResolvers<void>();
    const slow: Call = async (method, address, ...rest) => {
      if (address.endsWith('/examples/bulk')) await answered.promise;
      return call(method, address, ...rest);
    };
    showWindow(slow, `#/types/${id}/examples?queue=findings`);
    const list = await screen.findByRole('grid', { name: 'Findings' });
    fireEvent.click(await within(list).findByRole('row', { name: /contradiction/ }));
    press('l');
    await screen.findByRole('button', { name: 'Undo: 3 examples labelled yes' });
    press('u');
    fireEvent.click(await screen.findByRole('button', { name: 'Undo it' }));
    answered.resolve();
    await screen.findByText('Undone: 3 examples labelled yes');
    expect(await readSame(call, url)).toEqual(before);
  });

  it('keep a key that comes while an act is done again for that act, and take back none before it', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    const url = `/api/v1/decision-types/${id}`;
    await call('POST', `${url}/examples`, { examples: given });
    const before = await readSame(call, url);
    const again = Promise.withResolvers<void>();
    let bulks = 0;
    const slow: Call = async (method, address, ...rest) => {
      if (address.endsWith('/examples/bulk') && ++bulks === 2) await again.promise;
      return call(method, address, ...rest);
    };
    showWindow(slow, `#/types/${id}/examples?queue=findings`);
    const list = await screen.findByRole('grid', { name: 'Findings' });
    fireEvent.click(await within(list).findByRole('row', { name: /contradiction/ }));
    press('l');
    press('u');
    fireEvent.click(await screen.findByRole('button', { name: 'Undo it' }));
    await screen.findByText('Undone: 3 examples labelled yes');
    press('z', { ctrlKey: true, shiftKey: true });
    await waitFor(() => expect(bulks).toBe(2));
    press('z', { ctrlKey: true });
    again.resolve();
    await screen.findByText('Done again: 3 examples labelled yes');
    fireEvent.click(await screen.findByRole('button', { name: 'Undo it' }));
    await screen.findByText('Undone: 3 examples labelled yes');
    expect(await readSame(call, url)).toEqual(before);
  });

  it('shows what contradicts itself, opens its rows, and gives them the likelier label', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    const url = `/api/v1/decision-types/${id}`;
    const other = (decision: string) => ({ input: { message: `a ${decision} of its own` }, decision });
    await call('POST', `${url}/examples`, {
      examples: [...given, ...['yes', 'no'].map(other)],
    });
    showWindow(call, `#/types/${id}/examples?queue=findings`);
    const list = await screen.findByRole('grid', { name: 'Findings' });
    fireEvent.click(await within(list).findByRole('row', { name: /contradiction/ }));
    const rows = await screen.findByRole('region', { name: 'The rows of the finding' });
    await waitFor(() => expect(within(rows).getAllByText('the very same cup')).toHaveLength(3));
    press('l');
    await waitFor(async () => expect(await readSame(call, url)).toEqual(['yes', 'yes', 'yes']));
  });
});
