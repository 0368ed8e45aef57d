import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { percent } from '../../src/renderer/parts/text/figures.ts';
import { quoteNames } from '../../src/renderer/parts/text/names.ts';
import { applyRetention } from '../../src/server/services/upkeep/housekeeping.ts';
import { stoppedClock } from '../server/workbench.ts';
import { prepareClaims } from './claims.ts';
import { claims } from './deployed.ts';
import { closePage, keepDownloads, showWindow } from './page.tsx';

const plain = { proof: 95, amount: 500, online: true, shop: { country: 'DE' } };

const { serve, openPlace } = prepareClaims();
const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
const region = (name: string) => screen.findByRole('region', { name });

describe('Monitor', () => {
  const inputs = [plain, { ...plain, amount: 9_500 }, { ...plain, proof: 12 }];
  const grid = () => screen.findByRole('grid', { name: 'Decisions' });

  it('lists what was decided, and sums it up', async () => {
    const { call, url } = await openPlace('monitor', { inputs });
    await waitFor(async () => expect(within(await grid()).getAllByRole('row')).toHaveLength(4));
    const metrics = (await call('GET', `${url}/metrics`)).body;
    await screen.findAllByText(percent(metrics.escalation_rate));
    await waitFor(() =>
      expect(screen.getByTitle(/^The share of each option among the decisions/).textContent).toContain(
        percent((metrics.decision_distribution.refuse ?? 0) / 3),
      ),
    );
    fireEvent.change(screen.getByLabelText('Decision'), { target: { value: 'pay' } });
    await waitFor(async () =>
      expect(within(await grid()).getAllByRole('row')).toHaveLength(1 + metrics.decision_distribution.pay),
    );
    fireEvent.click(screen.getByLabelText('Needs review'));
    await waitFor(() => expect(window.location.hash).toContain('review=yes'));
  });

  it('says which fields have changed since the examples, beside the place in the rail, too [DRF-2]', async () => {
    await openPlace('monitor', { inputs: Array.from({ length: 50 }, () => ({ ...plain, shop: { country: 'PL' } })) });
    const note = await screen.findByRole('status', { name: 'Drift' });
    expect(note.textContent).toContain('Inputs have changed since the examples were collected');
    const fields = await screen.findByRole('region', { name: /fields? ha(?:s|ve) changed/ });
    expect(fields.textContent).toContain('shop.country is "PL"');
    expect(fields.textContent).toContain(`${percent(1)}, was ${percent(0)}`);
    expect(await screen.findByTitle(/^Monitor: \d fields? differs? from those of the examples/)).toBeTruthy();
  });

  it('shows this week beside the last, for each answer [DRF-3]', async () => {
    const clock = stoppedClock(Date.now());
    const { call, url } = await serve({ inputs, clock });
    const { key } = (await call('POST', '/api/v1/api-keys', { name: 'desk' })).body;
    const held: typeof call = (method, path, body, headers) =>
      call(method, path, body, { ...headers, authorization: `Bearer ${key}` });
    clock.move(7 * 86_400_000);
    const answer = (await held('POST', '/api/v1/decide', { decision_type: claims.name, input: plain })).body.decision;
    showWindow(held, `#/types/${url.split('/').at(-1)}/monitor`);
    const week = await screen.findByRole('region', { name: 'decisions this week' });
    await waitFor(() => expect(week.textContent).toMatch(new RegExp(`${answer}.*${percent(1)}, last week`)));
  });

  it('shows how likely a fallback itself is, here and under Try, and what the classifier thought [THR-4]', async () => {
    const { call, url, show } = await serve();
    const confidence_thresholds = { auto_decide: 1, escalation: 1 };
    expect((await call('PUT', url, { fallback_option: 'refuse', confidence_thresholds })).status).toBe(200);
    const asked = { decision_type: claims.name, input: plain };
    const { decision, class_probabilities: likely, explanation } = (await call('POST', '/api/v1/decide', asked)).body;
    expect(decision).toBe('refuse');
    expect(explanation).toBe(
      `Sent to the fallback «refuse» (confidence ${likely.refuse.toFixed(2)}): the classifier thought «pay», ${likely.pay.toFixed(2)}, below the escalation threshold 1.`,
    );
    show('monitor');
    await screen.findByText(percent(likely.refuse));
    expect(screen.queryByText(percent(likely.pay))).toBeNull();
    fireEvent.click(screen.getByText('fallback'));
    fireEvent.click(await screen.findByRole('button', { name: 'Try this input' }));
    await screen.findByText(
      (_, element) =>
        element?.tagName === 'P' &&
        element.textContent === `${percent(likely.refuse)} sure. ${quoteNames(explanation)}`,
    );
  });

  it('opens a record by key, takes the right decision, and takes that back', async () => {
    const { call, url } = await openPlace('monitor', { inputs });
    await waitFor(async () => expect(within(await grid()).getAllByRole('row')).toHaveLength(4));
    press('j');
    await region('Record');
    press('ArrowDown');
    await screen.findByText('Rule “too much” matched.');
    expect(screen.queryByText('Rule: too much')).toBeNull();
    press('k');
    await waitFor(() => expect(screen.queryByText('Rule “too much” matched.')).toBeNull());
    press('End');
    await waitFor(async () => expect(within(await grid()).getAllByRole('row')[3]?.dataset['cursor']).toBe('true'));
    press('Home');
    await waitFor(async () => expect(within(await grid()).getAllByRole('row')[1]?.dataset['cursor']).toBe('true'));
    const newest = async () => (await call('GET', `${url}/logs`)).body.items[0];
    press('1');
    await screen.findByText('Corrected. The record is now a reviewed example.');
    expect(await newest()).toMatchObject({ corrected_decision: 'pay' });
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(async () => expect((await newest()).corrected_decision).toBeNull());
    expect((await call('GET', `${url}/examples?reviewed=true`)).body.total).toBe(0);
    fireEvent.click(within(await region('Record')).getByRole('button', { name: 'Explain' }));
    await region('What would change it');
    fireEvent.click(screen.getByRole('button', { name: 'Try this input' }));
    expect(await screen.findByLabelText('proof')).toHaveProperty('value', '12');
  });

  it('hands the log over as a file', async () => {
    const files = keepDownloads();
    await openPlace('monitor', { inputs });
    fireEvent.click(await screen.findByRole('button', { name: 'Export log as CSV' }));
    await waitFor(() => expect(files).toHaveLength(1));
    expect((await files[0]?.text())?.trim().split('\n')).toHaveLength(4);
  });

  it('hands the case file of a record over as a page [LOG-11]', async () => {
    const files = keepDownloads();
    await openPlace('monitor', { inputs });
    await waitFor(async () => expect(within(await grid()).getAllByRole('row')).toHaveLength(4));
    press('j');
    fireEvent.click(await screen.findByRole('button', { name: 'Case file' }));
    await waitFor(() => expect(files).toHaveLength(1));
    press('f');
    await waitFor(() => expect(files).toHaveLength(2));
    expect(await files[1]?.text()).toContain('<h1>About this decision</h1>');
  });

  it('brings records back that were removed for their age, and says when they are removed again [CLK-4]', async () => {
    const clock = stoppedClock(Date.now());
    const { call, deps, url, workbench } = await openPlace('monitor', { inputs, clock });
    await waitFor(async () => expect(within(await grid()).getAllByRole('row')).toHaveLength(4));
    screen.getByText(/ record(s)?, kept for 90 days\.$/);
    await call('PUT', url, { retention_days: 1 });
    clock.move(86_400_001);
    expect(await applyRetention(deps)).toBe(3);
    void workbench.queries.invalidateQueries();
    await screen.findByText('No decisions yet');
    await screen.findByText(/kept for 1 day\.$/);
    const bringBack = async () => {
      const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Restore deleted records' });
      await waitFor(() => expect(button.disabled).toBe(false));
      fireEvent.click(button);
    };
    await bringBack();
    await screen.findByText(/^3 records are back\. Raise .* or those older than 1 day are removed again\.$/);
    await waitFor(async () => expect(within(await grid()).getAllByRole('row')).toHaveLength(4));
    await bringBack();
    await screen.findByText('Nothing is left to bring back. Removed records are kept for two days.');
    await call('PUT', url, { pii_fields: ['shop.country'] });
    void workbench.queries.invalidateQueries();
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Restore deleted records' })).toBeNull());
    screen.getByText(/kept for 1 day; older ones are deleted at once, as the type has personal fields\.$/);
  });

  it('says with Settings that the clock is in doubt, and trusts it on a press, also where it cannot be read [CLK-3]', async () => {
    const { call } = await openPlace('monitor', { inputs, clock: stoppedClock(Date.now() + 365 * 86_400_000) });
    await screen.findByText(/shows .*, 365 days on from what the workbench saw last\. Set it right/);
    screen.getByRole('button', { name: 'The time is right' });
    closePage();
    showWindow(call, '#/settings/data');
    fireEvent.click(await screen.findByRole('button', { name: 'The time is right' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: 'The time is right' })).toBeNull());
    expect((await call('GET', '/api/v1/clock')).body).toMatchObject({ state: 'trusted' });
    await screen.findByText('Clock: trusted.');
    closePage();
    // Whatever ails the service: here it answers as it does to a path that it does not know.
    showWindow((method, url, ...rest) => call(method, url.replace(/clock$/, 'nothing'), ...rest), '#/settings/data');
    await screen.findByRole('button', { name: 'The time is right' });
    screen.getByRole('alert');
  });

  it('says what comes here as long as nothing was decided', async () => {
    await openPlace('monitor');
    await screen.findByText('No decisions yet');
    fireEvent.click(screen.getByRole('button', { name: 'Try one' }));
    await screen.findByTestId('decision');
  });
});
