import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { quoteAccuracy } from '../../../src/engine/measure/quote-share.ts';
import { amount, milliseconds } from '../../../src/renderer/parts/text/figures.ts';
import { quoteNames } from '../../../src/renderer/parts/text/names.ts';
import { openForTest } from '../../server/workbench.ts';
import { prepareClaims } from '../claims.ts';
import { claims } from '../deployed.ts';
import { showWindow } from '../page.tsx';

const { openPlace } = prepareClaims();
const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
const region = (name: string) => screen.findByRole('region', { name });

describe('the headline of a policy', () => {
  it('is one figure in bar, rail and under Train, Evaluate and Deploy', async () => {
    const [rule] = claims.rules;
    const hard_rules = [{ ...rule, condition: 'ctx.amount > 4000' }];
    const { call, policyUrl } = await openPlace('train', { settings: { hard_rules } });
    const whole = (await call('GET', `${policyUrl}/whole-decision`)).body;
    const { accuracy } = (await call('GET', policyUrl)).body.metrics;
    // The rule changes what the classifier would have decided.
    expect(accuracy).not.toBe(whole.accuracy.share);
    const figure = quoteAccuracy(whole.accuracy).figure;
    const headline = quoteNames(whole.headline);
    await waitFor(() => expect(document.querySelector('.bar .now')?.textContent).toContain(figure));
    expect(document.querySelector('.bar .tag')?.getAttribute('title')).toContain(headline);
    const inRail = await screen.findByTitle(`Evaluate: ${headline}`);
    expect(inRail.textContent).toContain(figure);
    for (const place of ['train', 'evaluate', 'deploy']) {
      act(() => {
        window.location.hash = window.location.hash.replace(/[^/]*$/, place);
      });
      await waitFor(() => expect(document.querySelector(`[aria-current=page][href$="/${place}"]`)).not.toBeNull());
      await within(screen.getByRole('main')).findByRole('img', { name: headline });
    }
  });
});

describe('Evaluate', () => {
  it('says in short how often the whole decision is right, what is wrong, what it costs and how long it takes', async () => {
    const { call, policyUrl } = await openPlace('evaluate', { settings: { costs: { look: 3, wrong: 40 } } });
    const whole = (await call('GET', `${policyUrl}/whole-decision`)).body;
    const short = await region('How much to automate');
    expect(short.textContent).toContain(quoteAccuracy(whole.accuracy).phrase);
    within(short).getByRole('img', { name: quoteNames(whole.headline) });
    await screen.findByText('Each option');
    const { metrics } = (await call('GET', policyUrl)).body;
    const { now } = (await call('GET', `${policyUrl}/costs`)).body;
    await waitFor(() => expect(short.textContent).toContain(`${amount(now.per_1000)} per 1,000`));
    expect(short.textContent).toContain('3,000 all by hand');
    const [usual, slow] = [
      milliseconds(metrics.latency_estimate_p50_ms),
      milliseconds(metrics.latency_estimate_p95_ms),
    ];
    expect(short.textContent).toContain(`${usual} a decision${slow === usual ? '' : `, 95 of 100 within ${slow}`}`);
    // What could be promised stands once, beside the thresholds.
    const { sentence } = (await call('GET', `${policyUrl}/promise?target_error=0.05`)).body;
    await screen.findByText(sentence);
    expect(screen.getAllByText(sentence)).toHaveLength(1);
    expect(short.textContent).toContain('No error limit promised');
    // Figures of the classifier stand folded under its name.
    const folded = screen.getByText('The classifier alone').closest('details');
    expect([folded?.open, folded?.textContent]).toEqual([false, expect.stringMatching(/Macro F1.*Log-loss.*Features/)]);
    expect(screen.getAllByText(metrics.macro_f1.toFixed(3)).length).toBeGreaterThan(0);
    await screen.findByText(/No weak spot in|too few to look for weak spots|at most one in twenty listed is chance/);
  });

  it('opens the examples behind a cell, and keys give them another label', async () => {
    const { call, url, policyUrl } = await openPlace('evaluate');
    const matrix = await screen.findByRole('table', { name: 'Right options against decided ones' });
    fireEvent.click(within(matrix).getByRole('button', { name: /examples? of pay decided as refuse/ }));
    const cell = await screen.findByRole('region', { name: 'pay, decided as refuse' });
    const rows = (await call('GET', `${policyUrl}/held-out?expected=pay&decided=refuse`)).body;
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

  it('lists the worst mistakes of all pairs at once, the surest first [HDL-2]', async () => {
    const { call, policyUrl } = await openPlace('evaluate');
    fireEvent.click(await screen.findByRole('button', { name: 'Worst mistakes' }));
    const list = await screen.findByRole('region', { name: 'Worst mistakes' });
    const { items, total } = (await call('GET', `${policyUrl}/held-out?wrong=true`)).body;
    const { accuracy } = (await call('GET', `${policyUrl}/whole-decision`)).body;
    expect(total).toBe(accuracy.of - accuracy.count);
    await waitFor(() => expect(within(list).getByRole('list').children).toHaveLength(total));
    const [first] = items;
    expect(within(list).getByRole('list').children[0]?.textContent).toContain(
      `${first.expected}decided as${first.whole.decision}`,
    );
    expect(first.confidence).toBeGreaterThanOrEqual(items.at(-1).confidence);
    fireEvent.click(within(list).getByRole('button', { name: /Close/ }));
    await waitFor(() => expect(window.location.hash).not.toContain('worst='));
  });

  it('lists the commonest mistakes first', async () => {
    const { call, policyUrl } = await openPlace('evaluate');
    const { confusion_matrix: matrix } = (await call('GET', `${policyUrl}/whole-decision`)).body;
    fireEvent.click(await screen.findByRole('radio', { name: 'List' }));
    const counts = screen
      .getAllByRole('button', { name: /examples? of .* decided as/ })
      .map(({ textContent }) => Number(textContent));
    expect(counts).toEqual([matrix[0][1], matrix[1][0]].sort((a, b) => b - a));
  });

  it('has nothing to say before a training, and leads there', async () => {
    const { call } = await openForTest();
    const { id } = (await call('POST', '/api/v1/decision-types', { name: 'new', options: ['a', 'b'] })).body;
    showWindow(call, `#/types/${id}/evaluate`);
    // What may go wrong at most can be promised before anything is looked at.
    fireEvent.click(await screen.findByRole('button', { name: 'Promise this' }));
    await screen.findByText('Promised');
    fireEvent.click(await screen.findByRole('button', { name: 'Go to training' }));
    await screen.findByText('Nothing has been trained yet');
  });
});
