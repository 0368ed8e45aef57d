import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { quoteAccuracy, quoteShare } from '../../src/engine/measure/quote-share.ts';
import { formatShare } from '../../src/engine/numeric.ts';
import { percent } from '../../src/renderer/parts/text/figures.ts';
import { quoteNames } from '../../src/renderer/parts/text/names.ts';
import { type Call, deployForAll, loanExamples, loanType, makeType, openForTest } from '../server/workbench.ts';
import { prepareClaims } from './claims.ts';
import { claims } from './deployed.ts';
import { closePage, showWindow } from './page.tsx';

const { serve } = prepareClaims();
const loans = deployForAll(loanType, loanExamples(40));

const listSteps = () =>
  within(screen.getByRole('list', { name: 'Steps' }))
    .getAllByRole('link')
    .map((link) => link.getAttribute('aria-label'));
const waitForSteps = (steps: readonly string[]) => waitFor(() => expect(listSteps()).toEqual(steps));
const findNextStep = () => document.querySelector('[aria-current="step"]')?.getAttribute('aria-label');

/** The place `train` of the claims, after a program has asked for a decision. */
async function openClaims(after: (call: Call, url: string) => Promise<unknown> = () => Promise.resolve()) {
  const { call, url, policyUrl, show } = await serve();
  await after(call, url);
  show('train');
  await screen.findByRole('list', { name: 'Steps' });
  const { by_queue } = (await call('GET', `${url}/examples/stats`)).body;
  return { call, policyUrl, suspect: by_queue.suspect as number };
}

describe('a first project', () => {
  it('leads from data to labels, by the steps in the rail and the one act in the bar [FST-1]', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    showWindow(call, `#/types/${id}/define`);
    await screen.findByRole('list', { name: 'Steps' });
    await waitForSteps([
      'Step 1, Data: import examples',
      'Step 2, Labels: add examples',
      'Step 3, Train: train',
      'Step 4, Check: check',
      'Step 5, Deploy: deploy',
    ]);
    fireEvent.click(screen.getByRole('button', { name: 'Next: import examples' }));
    await waitFor(() => expect(window.location.hash).toBe(`#/types/${id}/import`));
    closePage();
    const inputs = [{ input: { amount: 1 } }, { input: { amount: 2 } }];
    await call('POST', `/api/v1/decision-types/${id}/examples`, { examples: inputs });
    showWindow(call, `#/types/${id}/define`);
    await screen.findByRole('button', { name: 'Next: label 2 rows' });
    expect(listSteps().slice(0, 2)).toEqual(['Step 1, Data: done', 'Step 2, Labels: label 2 rows']);
    expect(findNextStep()).toBe('Step 2, Labels: label 2 rows');
  });

  it('offers the labels that the model disagrees with, and asks for corrections to be learned [FST-2]', async () => {
    const { suspect } = await openClaims();
    expect(suspect).toBeGreaterThan(1);
    const review = `review ${suspect} labels the model disagrees with`;
    await waitForSteps([
      'Step 1, Data: done',
      'Step 2, Labels: done',
      'Step 3, Train: done',
      `Step 4, Check: done, ${review}`,
      'Step 5, Deploy: done',
    ]);
    // What the model doubts is never the next act.
    expect(findNextStep()).toBeUndefined();
    expect(screen.queryByRole('button', { name: /disagrees/ })).toBeNull();
    fireEvent.click(screen.getByRole('link', { name: new RegExp(review) }));
    await waitFor(() => expect(window.location.hash).toMatch(/examples\?queue=suspect$/));
    closePage();
    await openClaims(async (call, url) => {
      const input = { proof: 95, amount: 500, online: true, shop: { country: 'DE' } };
      await call('POST', '/api/v1/decide', { decision_type: claims.name, input });
      const [record] = (await call('GET', `${url}/logs`)).body.items;
      const corrected = await call('PUT', `${url}/logs/${record.id}/correction`, { decision: 'refuse' });
      expect(corrected.status).toBe(200);
    });
    await waitFor(() => expect(findNextStep()).toBe('Step 3, Train: train on 1 correction'));
  });
});

describe('the first page', () => {
  it('says of each type how often its policy is right, as its own places do, and its decisions of 24 hours [MET-2]', async () => {
    const { call, policyUrl } = await openClaims(async (call) => {
      const input = { proof: 95, amount: 500, online: true, shop: { country: 'DE' } };
      await call('POST', '/api/v1/decide', { decision_type: claims.name, input });
    });
    await makeType(call);
    const quote = quoteAccuracy((await call('GET', `${policyUrl}/whole-decision`)).body.accuracy);
    closePage();
    showWindow(call, '#/');
    const lines = async () =>
      (await screen.findAllByRole('row')).map((row) =>
        within(row)
          .queryAllByRole('cell')
          .slice(0, 4)
          .map((cell) => cell.textContent),
      );
    await waitFor(async () =>
      expect((await lines()).toSorted()).toEqual([
        [],
        [claims.name, 'deployed', `${quote.figure} ${quote.beside}`, '1'],
        ['triage', 'not trained', '–', '0'],
      ]),
    );
  });
});

describe('the end of a training', () => {
  it('says what was learned, beside what is reached without it, and where it is weakest [FST-3]', async () => {
    const { call, policyUrl } = await openClaims();
    const whole = (await call('GET', `${policyUrl}/whole-decision`)).body;
    const part = await screen.findByRole('region', { name: 'Policy v1' });
    await within(part).findByText(quoteAccuracy(whole.accuracy).phrase);
    const recalls = Object.entries<{ recall: number }>(whole.per_class).map(([option, { recall }]) => ({
      option,
      recall,
    }));
    const weakest = recalls.reduce((found, each) => (each.recall < found.recall ? each : found));
    const factOf = (name: RegExp) => within(part).getByText(name, { selector: 'dt' }).parentElement?.textContent;
    expect(factOf(/^automated$/)).toContain(quoteShare(whole.automatic).figure);
    expect(factOf(/found, the weakest option$/)).toContain(`of ${weakest.option} found`);
    expect(factOf(/found, the weakest option$/)).toContain(formatShare(weakest.recall));
    const scale = within(part).getByRole('img', { name: quoteNames(whole.headline) });
    expect(scale.textContent).toContain(`always ${whole.baseline.option} ${percent(whole.baseline.accuracy.share)}`);
  });

  it('names no weakest answer where every unseen example is decided correctly', async () => {
    const { call } = await openForTest({ dataDir: loans.copy() });
    showWindow(call, `#/types/${loans.url.split('/').at(-1)}/train`);
    const part = await screen.findByRole('region', { name: 'Policy v1' });
    await within(part).findByText(/^100% correct$|to 100% correct$/);
    expect(part.textContent).not.toContain('weakest');
  });
});
