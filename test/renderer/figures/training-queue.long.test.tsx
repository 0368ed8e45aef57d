/** A second training is started while one runs: it waits in the queue of the service, and begins by itself. */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { type Call, loanExamples, loanType, openForTest } from '../../server/workbench.ts';
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

it('leaves what decides alone, also where the page has not read yet that a policy does [TRN-25]', async () => {
  const { call } = await openForTest();
  const { id } = (await call('POST', '/api/v1/decision-types', loanType)).body;
  const path = `/api/v1/decision-types/${id}`;
  await call('POST', `${path}/examples`, { examples: loanExamples(40) });
  const newest = async () => (await call('GET', `${path}/policies`)).body[0];
  // The type is read late: what the page knows of it is from before its first training.
  const late = Promise.withResolvers<void>();
  let isLate = false;
  const readLate: Call = async (method, url, ...rest) => {
    if (isLate && method === 'GET' && /\/decision-types(?:\/[^/]+)?(?:\?.*)?$/.test(url)) await late.promise;
    return call(method, url, ...rest);
  };
  showWindow(readLate, `#/types/${id}/train`);
  const start = () => screen.getByRole('button', { name: 'Start training' });
  const begin = async () => {
    await waitFor(() => expect(start()).toHaveProperty('disabled', false));
    fireEvent.click(start());
  };
  await begin();
  isLate = true;
  await waitFor(async () => expect((await newest()).status).toBe('deployed'), { interval: 200 });
  await begin();
  await waitFor(async () => expect((await newest()).version).toBe(2), { interval: 200 });
  const { training_config } = (await call('GET', `${path}/policies/${(await newest()).id}`)).body;
  expect(training_config.auto_deploy).toBe(false);
  late.resolve();
});
