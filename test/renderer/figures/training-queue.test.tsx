/** A second training is started while one runs: it waits in the queue of the service, and begins by itself. */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { loanExamples, loanType, openForTest } from '../../server/workbench.ts';
import { closePage, showWindow } from '../page.tsx';

afterEach(closePage);

it('says its place in the queue and begins when the training of another type has ended [TRN-25]', async () => {
  const { call } = await openForTest();
  const make = async (name: string, rows: number) => {
    const { id } = (await call('POST', '/api/v1/decision-types', { ...loanType, name })).body;
    await call('POST', `/api/v1/decision-types/${id}/examples`, { examples: loanExamples(rows) });
    return id;
  };
  const [long, short] = [await make('long', 100), await make('short', 40)];
  expect((await call('POST', `/api/v1/decision-types/${long}/train`, {})).status).toBe(202);
  showWindow(call, `#/types/${short}/train`);
  await waitFor(() => expect(screen.getByRole('button', { name: 'Start training' })).toHaveProperty('disabled', false));
  fireEvent.click(screen.getByRole('button', { name: 'Start training' }));
  await screen.findByText(/^Place 1 in the queue: it begins by itself when the training under way has ended/);
  expect((await call('GET', `/api/v1/decision-types/${short}/policies`)).body[0].status).toBe('queued');
  const newest = async () => (await call('GET', `/api/v1/decision-types/${short}/policies`)).body[0]?.status;
  await waitFor(async () => expect(await newest()).toBe('deployed'), { interval: 200 });
  expect((await call('GET', `/api/v1/decision-types/${long}/policies`)).body[0].status).toBe('deployed');
  await waitFor(() => expect(screen.queryByText(/in the queue/)).toBeNull());
});
