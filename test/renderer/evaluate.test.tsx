import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { percent } from '../../src/renderer/parts/figures.ts';
import { openForTest } from '../server/workbench.ts';
import { makeClaims } from './deployed.ts';
import { closePage, showWindow } from './page.tsx';

let folder: Awaited<ReturnType<typeof makeClaims>>;
beforeAll(async () => {
  folder = await makeClaims();
});
afterAll(() => folder.remove());
afterEach(closePage);

async function openPlace(place: string) {
  const { call } = await openForTest({ dataDir: folder.copy() });
  const id = folder.url.slice(folder.url.lastIndexOf('/') + 1);
  showWindow(call, `#/types/${id}/${place}`);
  return { call, url: folder.url, policyUrl: `${folder.url}/policies/${folder.policyId}` };
}
const press = (key: string) => fireEvent.keyDown(document.body, { key });
const region = (name: string) => screen.findByRole('region', { name });

describe('Evaluate', () => {
  it('says in short how often the whole decision is right, and what is wrong', async () => {
    const { call, policyUrl } = await openPlace('evaluate');
    const { accuracy, rows } = (await call('GET', `${policyUrl}/whole-decision`)).body;
    const short = await region('In short');
    expect(short.textContent).toContain(`Right ${percent(accuracy.share)}`);
    expect(short.textContent).toContain(`of ${rows} unseen examples`);
    await screen.findByText('Each option');
    const { metrics } = (await call('GET', policyUrl)).body;
    expect(screen.getAllByText(metrics.macro_f1.toFixed(3)).length).toBeGreaterThan(0);
    await screen.findByText(/No part is wrong more often|at most one in twenty listed is chance/);
  });

  it('opens the examples behind a cell, and keys give them another label', async () => {
    const { call, url, policyUrl } = await openPlace('evaluate');
    const matrix = await screen.findByRole('table', { name: 'Right options against decided ones' });
    fireEvent.click(within(matrix).getByRole('button', { name: /examples? of pay decided as refuse/ }));
    const cell = await screen.findByRole('region', { name: 'pay, decided as refuse' });
    const rows = (await call('GET', `${policyUrl}/held-out?expected=pay&predicted=refuse`)).body;
    await waitFor(() => expect(within(cell).getByRole('list').children).toHaveLength(rows.total));
    const labelOf = async () =>
      (await call('GET', `${url}/examples/${rows.items[0].example_id}`)).body.expected_decision;
    press('2');
    await waitFor(async () => expect(await labelOf()).toBe('refuse'));
    expect(within(cell).getByRole('list').children[0]?.textContent).toContain('now');
    press('u');
    await waitFor(async () => expect(await labelOf()).toBe('pay'));
    fireEvent.click(within(cell).getByRole('button', { name: /Close/ }));
    await waitFor(() => expect(window.location.hash).not.toContain('decided='));
  });

  it('lists the commonest mistakes first', async () => {
    const { call, policyUrl } = await openPlace('evaluate');
    const { metrics } = (await call('GET', policyUrl)).body;
    fireEvent.click(await screen.findByRole('radio', { name: 'List' }));
    const counts = screen
      .getAllByRole('button', { name: /examples? of .* decided as/ })
      .map(({ textContent }) => Number(textContent));
    expect(counts).toEqual([metrics.confusion_matrix[0][1], metrics.confusion_matrix[1][0]].sort((a, b) => b - a));
  });

  it('moves a threshold, says what that does, stores it and takes it back', async () => {
    const { call, url } = await openPlace('evaluate');
    const stored = async () => (await call('GET', url)).body.active_version.confidence_thresholds;
    const before = await stored();
    const handle = await screen.findByRole('slider', { name: 'Decide directly from' });
    act(() => handle.focus());
    fireEvent.keyDown(handle, { key: 'ArrowRight' });
    const moved = Number(handle.getAttribute('aria-valuenow'));
    expect(moved).toBeGreaterThan(before.auto_decide);
    fireEvent.click(screen.getByRole('button', { name: 'Use these thresholds' }));
    await waitFor(async () => expect((await stored()).auto_decide).toBe(moved));
    fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
    await waitFor(async () => expect(await stored()).toEqual(before));
  });

  it('promises what the unseen examples bear, and refuses a target out of range', async () => {
    const { call, url } = await openPlace('evaluate');
    const target = await screen.findByLabelText('Target error among direct decisions, in percent');
    fireEvent.change(target, { target: { value: '' } });
    await screen.findByText('The target must be a number from 0.01 to 50.');
    fireEvent.change(target, { target: { value: '45' } });
    fireEvent.click(await screen.findByRole('button', { name: 'Promise this' }));
    await waitFor(async () => expect((await call('GET', url)).body.promise).toMatchObject({ target_error: 0.45 }));
    await waitFor(async () => expect((await region('In short')).textContent).toContain('Promised'));
  });

  it('has nothing to say before a training, and leads there', async () => {
    const { call } = await openForTest();
    const { id } = (await call('POST', '/api/v1/decision-types', { name: 'new', options: ['a', 'b'] })).body;
    showWindow(call, `#/types/${id}/evaluate`);
    fireEvent.click(await screen.findByRole('button', { name: 'Go to training' }));
    await screen.findByText('Nothing has been trained yet');
  });
});
