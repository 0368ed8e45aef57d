/** Every answer has few examples: one press trains on them all the same, and says that they still go to a person. */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { makeType, openForTest, train } from '../../server/workbench.ts';
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
    await screen.findByText(new RegExp(`${count} answers have fewer than 38 examples`));
    fireEvent.click(screen.getByRole('button', { name: /^Start training/ }));
    const newest = async () => (await call('GET', `${url}/policies`)).body[0];
    await waitFor(async () => expect(await newest()).toBeDefined());
    const { id: policyId } = await newest();
    const { training_config } = (await call('GET', `${url}/policies/${policyId}`)).body;
    expect(training_config).toMatchObject({ min_per_option: 38, rare_options: 'measure' });
    if (count > 2) return;
    await waitFor(async () => expect((await newest()).status).toBe('deployed'));
  });
});

describe('answers that were set aside', () => {
  it('are one line of what is likely, and no suggestion; the keys are in the order that is said [TRN-22]', async () => {
    const { call } = await openForTest();
    const rare = Array.from({ length: 8 }, (_, option) => `team ${option}`);
    const common = ['letters', 'parcels'];
    const escalation_policy = { enabled: false, between: 'flag', unfamiliar: 'ignore' };
    const id = await makeType(call, { name: 'post', options: [...rare, ...common], escalation_policy });
    const url = `/api/v1/decision-types/${id}`;
    const examples = [...common, ...rare].flatMap((decision, option) =>
      // Whole numbers of which each is there once would number the rows, and ask whether later ones are meant.
      Array.from({ length: option < 2 ? 50 : 10 }, (_, row) => ({
        input: { weight: (50 * option + row) / 10 },
        decision,
      })),
    );
    const waiting = { input: { weight: 25.5 } };
    expect((await call('POST', `${url}/examples`, { examples: [...examples, waiting] })).status).toBe(201);
    await train(call, url, { rare_options: 'fallback', tune_hyperparams: false });
    const decided = (await call('POST', '/api/v1/decide', { decision_type: 'post', ...waiting })).body;
    expect(common).toContain(decided.decision);

    const { items } = (await call('GET', `${url}/logs`)).body;
    showWindow(call, `#/types/${id}/monitor?record=${items[0].id}`);
    const together = await screen.findByText('Something else: one of 8 answers set aside');
    expect(together.closest('.bars')?.textContent).not.toContain('team 3');
    closePage();

    showWindow(call, `#/types/${id}/examples?queue=to_label`);
    const heading = await screen.findByText(/^9 of 10 are shown, /);
    const keys = [...document.querySelectorAll('.choice .words')];
    const [row] = (await call('GET', `${url}/examples?status=to_label`)).body.items;
    const { suggestion } = (await call('POST', `${url}/examples/suggestions`, { ids: [row.id] })).body.items[0];
    expect(suggestion?.source).not.toBe('policy');
    const likely: string[] = (suggestion?.likely ?? []).map(({ decision }: { decision: string }) => decision);
    const isRanked = heading.textContent?.endsWith('the likeliest first.');
    const ordered = isRanked ? [...new Set([...likely, ...rare, ...common])] : [...rare, ...common];
    expect(keys.map(({ textContent }) => textContent)).toEqual(ordered.slice(0, 9));
  });
});
