/** Thresholds under Evaluate: tried, kept as the draft, and taken back. */
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { quoteShare } from '../../../src/engine/measure/quote-share.ts';
import type { MeasuredShare } from '../../../src/engine/measured.ts';
import { number, percent } from '../../../src/renderer/parts/text/figures.ts';
import { quoteNames } from '../../../src/renderer/parts/text/names.ts';
import { prepareClaims } from '../claims.ts';
import { closePage, showWindow } from '../page.tsx';

const { openPlace } = prepareClaims();
const region = (name: string) => screen.findByRole('region', { name });

describe('thresholds under Evaluate', () => {
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
    expect(desk.textContent).toContain(`${quoteShare(tried.automatic).figure} automated`);
    fireEvent.click(screen.getByRole('button', { name: 'Back to the thresholds in use' }));
    await waitFor(() => expect(desk.textContent).toContain(`${quoteShare(before.automatic).figure} automated`));
    expect(desk.textContent).not.toContain('pay from');
  });

  it('marks on the scale from where a promise holds, keeps it and takes it back by Undo', async () => {
    const { call, url, policyUrl } = await openPlace('evaluate');
    const target = await screen.findByLabelText('Automated and wrong at most (%)');
    fireEvent.change(target, { target: { value: '' } });
    await screen.findByText('At most 0.01 to 50% wrong, certain to 50 to 99.99%.');
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
    await desk.findByText(/^0(?: to [\d.]+)?% automated$/);
    fireEvent.click(desk.getByText('By option'));
    fireEvent.change(desk.getByLabelText('An option that needs more confidence'), { target: { value: 'pay' } });
    await desk.findByText('By option, pay from 1');
    fireEvent.keyDown(document.body, { key: 's', ctrlKey: true });
    await waitFor(async () => expect((await kept())?.by_option).toEqual({ pay: 1 }));
  });

  it('shows what the threshold of an option does before it is kept, and from where the promise holds of it', async () => {
    const { call, url, policyUrl } = await openPlace('evaluate', {});
    const desk = within(await region('How much to automate'));
    const findAutomated = (share: MeasuredShare) =>
      desk.findByText(`${quoteShare(share).figure} automated`, { selector: '.figure-large' });
    const { automatic } = (await call('GET', `${policyUrl}/whole-decision`)).body;
    await findAutomated(automatic);
    fireEvent.click(desk.getByText('By option'));
    fireEvent.change(desk.getByLabelText('An option that needs more confidence'), { target: { value: 'pay' } });
    fireEvent.change(await desk.findByLabelText('pay directly from'), { target: { value: '1' } });
    const tried = encodeURIComponent(JSON.stringify({ pay: 1 }));
    const { automatic: fewer } = (await call('GET', `${policyUrl}/whole-decision?by_option=${tried}`)).body;
    expect(fewer.count).toBeLessThan(automatic.count);
    await findAutomated(fewer);
    const terms = { target_error: '0.05', certainty: '0.95', option: 'pay' };
    const { sentence } = (await call('GET', `${policyUrl}/promise?${new URLSearchParams(terms)}`)).body;
    await desk.findByText(quoteNames(sentence));
    expect((await call('GET', url)).body.draft).toBe(null);
    fireEvent.click(desk.getByRole('button', { name: 'Back to the thresholds in use' }));
    await findAutomated(automatic);
  });
});
