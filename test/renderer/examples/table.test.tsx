import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { type Call, makeType, openForTest } from '../../server/workbench.ts';
import { closePage, showWindow } from '../page.tsx';
import { card, openExamples, press, readLabels, shows } from './open-examples.ts';

afterEach(closePage);

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
    await screen.findByText(/A random row/);
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

const saved = (call: Call, url: string, expected: object) =>
  waitFor(async () => expect(await readLabels(call, url)).toMatchObject(expected));

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
    press('f');
    await screen.findByText('This key acts on one row. Clear the selection first.');
    press('Delete');
    const question = within(await screen.findByRole('dialog', { name: 'Delete 4 examples?' }));
    fireEvent.click(question.getByRole('button', { name: 'Delete' }));
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
    // The notice of an act goes with it.
    await waitFor(() => expect(screen.queryByText('4 examples deleted.')).toBeNull());
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
