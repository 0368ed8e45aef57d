/** What a model doubts, at the keys of the findings: how many of it are taken at once, and what that does to figures. */
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { quoteAccuracy } from '../../../src/engine/measure/quote-share.ts';
import { type Call, deployForAll, loanExamples, loanType, openForTest } from '../../server/workbench.ts';
import { prepareClaims } from '../claims.ts';
import { closePage, showWindow } from '../page.tsx';

const { serve } = prepareClaims();
const press = (key: string, more: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more });
/** Loans of which a quarter has the other label: more than models can tell from cases that are open. */
const noisy = deployForAll(
  { ...loanType, name: 'noisy' },
  (loanExamples(60) as { decision: string }[]).map((loan, i) =>
    (i * i * 37) % 11 < 3 ? { ...loan, decision: loan.decision === 'approve' ? 'decline' : 'approve' } : loan,
  ),
);

async function openFindings(call: Call, url: string) {
  showWindow(call, `#/types/${url.split('/').at(-1)}/examples?queue=findings`);
  const list = await screen.findByRole('grid', { name: 'Findings' });
  await within(list).findAllByText('suspect label');
  return (await call('GET', `${url}/examples/stats`)).body;
}

describe('labels that a model doubts', () => {
  it('are taken at once up to how many are expected to be wrong, and the figure stays what it is [FIR-2] [FIR-4]', async () => {
    const { call, url, policyUrl, show } = await serve();
    const before = (await call('GET', `${policyUrl}/whole-decision`)).body;
    const { suspects, by_queue } = await openFindings(call, url);
    expect(suspects.expected_wrong).toBeGreaterThan(0);
    const button = screen.getByRole('button', { name: /model's label/ });
    expect(button.getAttribute('data-variant')).not.toBe('filled');
    press('a', { ctrlKey: true });
    const picked = Math.min(suspects.expected_wrong, by_queue.suspect);
    await screen.findByRole('button', { name: new RegExp(`^Fix ${picked} findings`) });
    press('l');
    const said = await screen.findByText(
      /^Relabelled: \d+ examples; \d+ test rows? still measured by the first label$/,
    );
    const { body: whole } = await call('GET', `${policyUrl}/whole-decision`);
    const { rows, sentence } = whole.relabelled;
    expect(said.textContent).toMatch(new RegExp(`^Relabelled: ${picked} examples; ${rows} test row`));
    expect(whole.accuracy).toEqual(before.accuracy);
    closePage();
    show('evaluate');
    const short = await screen.findByRole('region', { name: 'How much to automate' });
    within(short).getByText(quoteAccuracy(before.accuracy).phrase);
    expect(short.textContent).toContain(sentence);
  });

  it('are taken one by one where nobody knows how many are wrong [FIR-4]', async () => {
    const { call } = await openForTest({ dataDir: noisy.copy() });
    const { url } = noisy;
    const { suspects, by_queue } = await openFindings(call, url);
    expect(suspects.expected_wrong).toBeNull();
    expect(by_queue.suspect).toBeGreaterThan(1);
    screen.getByText(/taken one by one, as nobody knows how many are wrong/);
    press('a', { ctrlKey: true });
    press('l');
    await waitFor(async () => {
      const { body } = await call('GET', `${url}/examples/stats`);
      expect(body.by_queue.suspect).toBe(by_queue.suspect - 1);
    });
  });
});
