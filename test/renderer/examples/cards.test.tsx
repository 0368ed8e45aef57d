import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Call, makeType, openForTest } from '../../server/workbench.ts';
import { closePage, showWindow } from '../page.tsx';
import { card, openExamples, press, readLabels, shows } from './open-examples.ts';

afterEach(closePage);

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

  it('goes to the first row without a label where the address names none', async () => {
    await openExamples('queue=all&view=card', ['yes', null, null, null]);
    await shows('the cup is broken');
    press('j');
    press('j');
    await shows('the bowl is lost');
    await waitFor(() => expect(window.location.hash).toContain('row='));
    window.location.hash = window.location.hash.replace(/&row=[^&]*/, '');
    await shows('the plate is late');
  });

  it('makes a hint of a search by one key, and stays: it teaches at once, and decides nothing [RUL-17]', async () => {
    const { call, url } = await openExamples('queue=all&view=card&search=late');
    await shows('the plate is late');
    press('h');
    const dialog = within(await screen.findByRole('dialog'));
    await dialog.findByText(/^1 row without a label\./);
    fireEvent.click(dialog.getByLabelText('are probably', { selector: 'input' }));
    fireEvent.click(await screen.findByRole('option', { name: 'no', hidden: true }));
    fireEvent.click(dialog.getByRole('button', { name: 'Make the hint' }));
    await screen.findByText('The next training takes 1 row without a label for no.');
    await shows('the plate is late');
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
    await screen.findByText('0 labels, 0 of the 20 random rows that measure accuracy.');
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
    await screen.findByText('Nothing here');
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

describe('a window that works alone', () => {
  const queue = (name: string) => fireEvent.click(screen.getByRole('button', { name: new RegExp(`^${name}`) }));
  const read = (call: Call, url: string) => readLabels(call, url).then(Object.values<string | null>);

  it('orders a second reading, reads it, and settles what differs: nothing is refused [REA-6]', async () => {
    const { call, url } = await openExamples('queue=second-reading', ['yes', 'yes', 'yes', 'yes']);
    await screen.findByText('Nothing here');
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
    await screen.findByText(/Two readers agree on 33.3%/);
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
