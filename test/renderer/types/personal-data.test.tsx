/** Personal fields that are declared late: Define says what holds their values, and masks them in the log. */
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { prepareClaims } from '../claims.ts';
import { claims } from '../deployed.ts';

const { serve } = prepareClaims();

it('values of a field that is declared late are counted and masked by one button under Define [TYP-39]', async () => {
  const { call, url, show } = await serve();
  const input = { amount: 4_321, note: 'a bill' };
  expect((await call('POST', '/api/v1/decide', { decision_type: claims.name, input })).status).toBe(200);
  const logged = async () => JSON.stringify((await call('GET', `${url}/logs`)).body.items);
  expect(await logged()).toContain('4321');
  await call('PUT', url, { pii_fields: ['amount'] });
  show('define');
  const part = within(await screen.findByRole('region', { name: 'Personal data' }));
  await part.findByText(/^1 log record from before one of these fields was declared may still hold its values\./);
  await part.findByText(/^1 policy learned before it/);
  fireEvent.click(part.getByRole('button', { name: 'Mask them in the log' }));
  await waitFor(() => expect(part.queryByText(/1 log record from/)).toBeNull());
  expect(await logged()).not.toContain('4321');
  // The policy stays what it is, and that is said.
  part.getByText(/^1 policy learned before it/);
});
