/** Every answer has fewer examples than are asked for: one press trains on them all the same, and says what it costs. */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { makeType, openForTest } from '../../server/workbench.ts';
import { closePage, showWindow } from '../page.tsx';

afterEach(closePage);

describe('answers of which every one has few examples', () => {
  it.each([
    [150, 28],
    [2, 20],
  ])('are trained at the first press: %i with %i each [TRN-24]', async (count, rows) => {
    const { call } = await openForTest();
    const options = Array.from({ length: count }, (_, option) => `queue ${option}`);
    const id = await makeType(call, { options });
    const url = `/api/v1/decision-types/${id}`;
    const examples = options.flatMap((decision, option) =>
      Array.from({ length: rows }, (_, row) => ({ input: { floor: option, call: row }, decision })),
    );
    expect((await call('POST', `${url}/examples`, { examples })).status).toBe(201);
    showWindow(call, `#/types/${id}/train`);
    await screen.findByText(/it confuses these more often/, undefined, { timeout: 10_000 });
    expect(screen.queryByRole('button', { name: /^Train without/ })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: `Train on all answers, some with only ${rows} examples` }));
    const newest = async () => (await call('GET', `${url}/policies`)).body[0];
    await waitFor(async () => expect(await newest()).toBeDefined(), { timeout: 10_000 });
    const { id: policyId } = await newest();
    const { training_config } = (await call('GET', `${url}/policies/${policyId}`)).body;
    expect(training_config).toMatchObject({ min_per_option: rows, rare_options: 'refuse' });
    if (count > 2) return;
    await waitFor(async () => expect((await newest()).status).toBe('deployed'), { timeout: 60_000 });
  });
});
