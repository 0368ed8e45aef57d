import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { quoteAccuracy } from '../../../src/engine/measure/quote-accuracy.ts';
import { amount, milliseconds, number, percent } from '../../../src/renderer/parts/text/figures.ts';
import { quoteNames } from '../../../src/renderer/parts/text/names.ts';
import { openForTest } from '../../server/workbench.ts';
import { prepareClaims } from '../claims.ts';
import { claims } from '../deployed.ts';
import { closePage, showWindow } from '../page.tsx';

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
    await screen.findByText(/No weak spot in|at most one in twenty listed is chance/);
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

  it('moves a threshold, says what that does, keeps it as the draft and takes it back', async () => {
    const { call, url } = await openPlace('evaluate');
    const read = async () => (await call('GET', url)).body;
    const before = (await read()).active_version.confidence_thresholds;
    const kept = async () => (await read()).draft?.settings.confidence_thresholds;
    const handle = await screen.findByRole('slider', { name: 'Decide directly from' });
    act(() => handle.focus());
    fireEvent.keyDown(handle, { key: 'ArrowRight' });
    const moved = Number(handle.getAttribute('aria-valuenow'));
    expect(moved).toBeGreaterThan(before.auto_decide);
    fireEvent.click(screen.getByRole('button', { name: 'Keep as draft' }));
    await waitFor(async () => expect((await kept())?.auto_decide).toBe(moved));
    expect((await read()).active_version.confidence_thresholds).toEqual(before);
    await screen.findByText('In the draft');
    fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
    await waitFor(async () => expect((await read()).draft).toBe(null));
  });

  it('moves headline, matrix, options and rows of a cell with a threshold that is only tried', async () => {
    const settings = { fallback_option: 'refuse', costs: { look: 3, wrong: 40 } };
    const { call, url, policyUrl } = await openPlace('evaluate', { settings });
    const before = (await call('GET', `${policyUrl}/whole-decision`)).body;
    const address = window.location.hash;
    act(() => {
      window.location.hash = `${address}?direct=1&below=1`;
    });
    await waitFor(() => expect(screen.getByRole('slider', { name: 'Fall back below' }).ariaValueNow).toBe('1'));
    const tried = (await call('GET', `${policyUrl}/whole-decision?auto_decide=1&escalation=1`)).body;
    expect(tried.headline).not.toBe(before.headline);
    const short = await region('How much to automate');
    await within(short).findByRole('img', { name: quoteNames(tried.headline) });
    // Costs, too: where nothing is decided alone, all are looked at.
    await waitFor(() => expect(short.textContent).toMatch(/3,000 per 1,000/));
    const [[, refused]] = tried.confusion_matrix;
    const matrix = screen.getByRole('table', { name: 'Right options against decided ones' });
    const cell = within(matrix).getByRole('button', { name: `${refused} examples of pay decided as refuse` });
    const options = await region('Each option');
    expect(options.textContent).toContain(percent(tried.per_class.refuse.precision));
    fireEvent.click(cell);
    const rows = within(await screen.findByRole('region', { name: 'pay, decided as refuse' })).getByRole('list');
    await waitFor(() => expect(rows.children).toHaveLength(Math.min(25, refused)));
    const stored = (await call('GET', url)).body.active_version.confidence_thresholds;
    expect(stored).toEqual(before.confidence_thresholds);
  });

  it('shows the thresholds of single options in a draft as they would decide [DRA-8]', async () => {
    const { call, url, policyUrl } = await openPlace('evaluate');
    const whole = async (query: string) => (await call('GET', `${policyUrl}/whole-decision${query}`)).body;
    const before = await whole('');
    const { auto_decide, escalation } = before.confidence_thresholds;
    const drafted = { auto_decide, escalation, by_option: { pay: 1 } };
    await call('PUT', url, { confidence_thresholds: drafted, draft: true });
    const tried = await whole('?draft=true');
    expect(tried.confidence_thresholds).toEqual(drafted);
    expect(tried.automatic.share).toBeLessThan(before.automatic.share);
    // What is tried by hand keeps them, and nothing is measured by them unasked.
    expect((await whole('?draft=true&auto_decide=0.99')).confidence_thresholds.by_option).toEqual({ pay: 1 });
    expect(await whole('')).toEqual(before);
    closePage();
    showWindow(call, `#/types/${url.split('/').at(-1)}/evaluate`);
    const desk = await region('How much to automate');
    await waitFor(() => expect(desk.textContent).toContain('pay from 1'));
    expect(desk.textContent).toContain(`${percent(tried.automatic.share)} automated`);
    fireEvent.click(screen.getByRole('button', { name: 'Back to the thresholds in use' }));
    await waitFor(() => expect(desk.textContent).toContain(`${percent(before.automatic.share)} automated`));
    expect(desk.textContent).not.toContain('pay from');
  });

  it('marks on the scale from where a promise holds, keeps it and takes it back by Undo', async () => {
    const { call, url, policyUrl } = await openPlace('evaluate');
    const target = await screen.findByLabelText('Automated and wrong at most (%)');
    fireEvent.change(target, { target: { value: '' } });
    await screen.findByText('At most 0.01 to 50 % wrong, certain to 50 to 99.99 %.');
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Promise this' }).disabled).toBe(true);
    fireEvent.change(target, { target: { value: '40' } });
    fireEvent.change(screen.getByLabelText('Certainty (%)'), { target: { value: '90' } });
    const { threshold } = (await call('GET', `${policyUrl}/promise?target_error=0.4&certainty=0.9`)).body;
    expect(threshold).toBeGreaterThan(0.1);
    const address = window.location.hash;
    const tryFrom = (direct: number) =>
      act(() => {
        window.location.hash = `${address}?direct=${direct}&below=0`;
      });
    const mark = `at most 40% wrong, certain to 90%: from ${number(threshold)}`;
    tryFrom(0.1);
    await screen.findByText(mark);
    tryFrom(1);
    await screen.findByText(`${mark} ✓`);
    const read = async () => (await call('GET', url)).body;
    const { confidence_thresholds: before } = (await read()).active_version;
    fireEvent.click(screen.getByRole('button', { name: 'Promise this' }));
    await waitFor(async () => expect((await read()).promise).toMatchObject({ target_error: 0.4, certainty: 0.9 }));
    const desk = await region('How much to automate');
    await within(desk).findByText('Promise kept');
    expect((await read()).active_version.confidence_thresholds.auto_decide).toBe(threshold);
    fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
    await within(desk).findByText('No error limit promised');
    await waitFor(async () => expect((await read()).active_version.confidence_thresholds).toEqual(before));
  });

  it('lets a person decide all where a review costs least, and keeps the threshold of an option by key', async () => {
    const { call, url } = await openPlace('evaluate', { settings: { costs: { look: 0.01, wrong: 4_000 } } });
    const kept = async () => (await call('GET', url)).body.draft?.settings.confidence_thresholds;
    const desk = within(await region('How much to automate'));
    fireEvent.click(await desk.findByRole('button', { name: 'Let a person decide all' }));
    await waitFor(async () => expect((await kept())?.auto_decide).toBe(1));
    await desk.findByText('0.0% automated');
    fireEvent.click(desk.getByText('By option'));
    fireEvent.change(desk.getByLabelText('An option that needs more confidence'), { target: { value: 'pay' } });
    await desk.findByText('By option, pay from 1');
    fireEvent.keyDown(document.body, { key: 's', ctrlKey: true });
    await waitFor(async () => expect((await kept())?.by_option).toEqual({ pay: 1 }));
  });

  it('shows what the threshold of an option does before it is kept, and from where the promise holds of it', async () => {
    const { call, url, policyUrl } = await openPlace('evaluate', {});
    const desk = within(await region('How much to automate'));
    const findAutomated = (share: number) =>
      desk.findByText(`${percent(share)} automated`, { selector: '.figure-large' });
    const { automatic } = (await call('GET', `${policyUrl}/whole-decision`)).body;
    await findAutomated(automatic.share);
    fireEvent.click(desk.getByText('By option'));
    fireEvent.change(desk.getByLabelText('An option that needs more confidence'), { target: { value: 'pay' } });
    fireEvent.change(await desk.findByLabelText('pay directly from'), { target: { value: '1' } });
    const tried = encodeURIComponent(JSON.stringify({ pay: 1 }));
    const { automatic: fewer } = (await call('GET', `${policyUrl}/whole-decision?by_option=${tried}`)).body;
    expect(fewer.count).toBeLessThan(automatic.count);
    await findAutomated(fewer.share);
    const terms = { target_error: '0.05', certainty: '0.95', option: 'pay' };
    const { sentence } = (await call('GET', `${policyUrl}/promise?${new URLSearchParams(terms)}`)).body;
    await desk.findByText(quoteNames(sentence));
    expect((await call('GET', url)).body.draft).toBe(null);
    fireEvent.click(desk.getByRole('button', { name: 'Back to the thresholds in use' }));
    await findAutomated(automatic.share);
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
