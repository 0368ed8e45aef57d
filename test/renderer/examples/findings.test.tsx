/** Findings of the examples, and acts on them that are taken back before the server has answered. */
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { type Call, makeType, openForTest } from '../../server/workbench.ts';
import { closePage, showWindow } from '../page.tsx';
import { press } from './open-examples.ts';

afterEach(closePage);

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
