/** Adding examples on the page: one by hand, ten by a teacher. */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { makeType, openForTest } from '../server/workbench.ts';
import { openExamples } from './examples/open-examples.ts';
import { closePage, showWindow } from './page.tsx';

afterEach(closePage);

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
