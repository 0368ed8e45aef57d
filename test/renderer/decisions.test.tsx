import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, onTestFinished } from 'vitest';
import { percent } from '../../src/renderer/parts/text/figures.ts';
import { quoteNames } from '../../src/renderer/parts/text/names.ts';
import { applyRetention } from '../../src/server/services/upkeep/housekeeping.ts';
import { type Call, stoppedClock } from '../server/workbench.ts';
import { prepareClaims } from './claims.ts';
import { claims } from './deployed.ts';
import { closePage, showWindow } from './page.tsx';

const plain = { proof: 95, amount: 500, online: true, shop: { country: 'DE' } };

const { serve, openPlace } = prepareClaims();
const press = (key: string) => fireEvent.keyDown(document.activeElement ?? document.body, { key });
const region = (name: string) => screen.findByRole('region', { name });

describe('Try', () => {
  it('decides what the form holds, and again when a field changes', async () => {
    const { call, url } = await openPlace('try');
    const amount = await screen.findByLabelText('amount');
    const answer = await screen.findByTestId('decision');
    screen.getByLabelText('shop.country');
    fireEvent.change(amount, { target: { value: '9500' } });
    await waitFor(() => expect(answer.textContent).toBe('refuse'));
    await screen.findByText('Rule “too much” matched.');
    fireEvent.change(screen.getByLabelText('proof'), { target: { value: '95' } });
    fireEvent.change(amount, { target: { value: '500' } });
    await waitFor(() => expect(screen.getByTestId('decision').textContent).toBe('pay'));
    await screen.findByText(
      (_, element) =>
        element?.tagName === 'P' &&
        /^[\d.]+% sure, by the classifier: automated, as it is from [\d.]+% on\.$/.test(element.textContent ?? ''),
    );
    expect((await call('GET', `${url}/logs`)).body.total).toBe(0);
  });

  it('takes the cells of a file as they are where the type reads them, and says so where it does not [TRY-2]', async () => {
    await openPlace('try', { settings: { readings: { amount: { kind: 'number', decimal: ',' } } } });
    const amount = await screen.findByLabelText('amount');
    const answer = await screen.findByTestId('decision');
    fireEvent.change(amount, { target: { value: '9500,75' } });
    await waitFor(() => expect(answer.textContent).toBe('refuse'));
    fireEvent.change(amount, { target: { value: 'much' } });
    await screen.findByText(/Not read: .*decimal comma/);
    const proof = screen.getByLabelText('proof');
    fireEvent.change(proof, { target: { value: '9,5' } });
    await screen.findByText(/No number, such as 1234.5/);
    fireEvent.change(proof, { target: { value: '95' } });
    fireEvent.keyDown(proof, { key: 'ArrowUp' });
    expect(proof).toHaveProperty('value', '96');
    expect(screen.queryByText(/No number/)).toBeNull();
  });

  it('offers the values that a field repeats, most frequent first, and takes any other [TRY-1]', async () => {
    await openPlace('try');
    const country = await screen.findByRole('combobox', { name: 'shop.country' });
    fireEvent.change(country, { target: { value: '' } });
    fireEvent.focus(country);
    const names = async () => (await screen.findAllByRole('option', { hidden: true })).map((each) => each.textContent);
    expect((await names()).toSorted()).toEqual(['AT', 'CH', 'DE']);
    fireEvent.change(country, { target: { value: 'FR' } });
    expect(country).toHaveProperty('value', 'FR');
    await screen.findByText(/^[\d.]+% sure$/);
  });

  it('has dates as dates, and takes what was asked for last [TRY-2]', async () => {
    await openPlace('try', { inputs: [{ ...plain, amount: 4_711, bought: '2026-03-09' }] });
    fireEvent.click(await screen.findByRole('button', { name: 'Take the last logged' }));
    expect(await screen.findByLabelText('bought')).toMatchObject({ type: 'date', value: '2026-03-09' });
    expect(screen.getByLabelText('amount')).toHaveProperty('value', '4711');
  });

  it('says where JSON is wrong, and keeps what was typed', async () => {
    await openPlace('try');
    fireEvent.click(await screen.findByRole('button', { name: 'Edit as JSON' }));
    const text = await screen.findByLabelText('Input (JSON)');
    fireEvent.change(text, { target: { value: '{"proof": 95,' } });
    expect(text.getAttribute('aria-invalid')).toBe('true');
    fireEvent.change(text, { target: { value: JSON.stringify(plain) } });
    expect(text.getAttribute('aria-invalid')).not.toBe('true');
    fireEvent.click(screen.getByRole('button', { name: 'Edit as form' }));
    expect(await screen.findByLabelText('proof')).toHaveProperty('value', '95');
    fireEvent.click(screen.getByRole('button', { name: 'Take another example' }));
    await waitFor(() => expect(screen.getByLabelText('proof')).not.toHaveProperty('value', '95'));
  });

  it('explains the decision from the start', async () => {
    await openPlace('try');
    await region('What would change it');
    fireEvent.click(screen.getByRole('button', { name: 'Hide' }));
    await screen.findByText(/the examples most like it/);
  });

  const save = async (name: string) => {
    await screen.findByTestId('decision');
    fireEvent.click(screen.getByRole('button', { name: 'Save…' }));
    fireEvent.click(await screen.findByRole('menuitem', { name }));
  };

  it('saves the input as an example, and takes it back', async () => {
    const { call, url } = await openPlace('try');
    const total = async () => (await call('GET', `${url}/examples`)).body.total;
    const before = await total();
    await save('Save as an example to label');
    await screen.findByText('Saved as an example without a label.');
    expect(await total()).toBe(before + 1);
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    await waitFor(async () => expect(await total()).toBe(before));
  });

  it('decides the input as for a program, which leaves a record', async () => {
    const { call, url } = await openPlace('try');
    await save('Decide and record it, as for a program');
    await screen.findByText('Decided and recorded; Monitor shows it.');
    expect((await call('GET', `${url}/logs`)).body.total).toBe(1);
  });
});

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
    screen.getByText(/kept for 1 day; because of the PII fields older ones are deleted at once\.$/);
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

describe('types that need a new training', () => {
  it('are named on the first page and trained by one press, as far as they can be [TYP-23]', async () => {
    const { call, url: claimsUrl } = await serve({ settings: { options: [...claims.options, 'ask'] } });
    const examples = Array.from({ length: 60 }, (_, n) => ({
      input: { proof: 50, amount: 8_100 + n },
      decision: 'ask',
    }));
    expect((await call('POST', `${claimsUrl}/examples`, { examples })).status).toBe(201);
    const other = { name: 'mails', options: ['keep', 'drop'], fallback_option: 'keep' };
    const url = `/api/v1/decision-types/${(await call('POST', '/api/v1/decision-types', other)).body.id}`;
    const { id } = (await call('POST', `${url}/policies`, { kind: 'rules_only' })).body;
    await call('POST', `${url}/policies/${id}/deploy`);
    await call('PUT', url, { options: ['keep', 'drop', 'ask'] });
    showWindow(call, '#/');
    const note = (await screen.findByText(/^These decision types need a new training/)).textContent ?? '';
    expect([note.includes(claims.name), note.includes('mails')]).toEqual([true, true]);
    fireEvent.click(screen.getByRole('button', { name: 'Train all 2 again' }));
    await screen.findByText(/^Training one after the other/);
    const train = await screen.findByRole('button', { name: 'Train it again' });
    expect(train.closest('.note')?.textContent).toMatch(/mails: /);
    expect((await call('GET', claimsUrl)).body.needs_retraining).toBe(false);
  });
});

/** What the page hands to the downloads of the browser. */
function keepDownloads(): Blob[] {
  const files: Blob[] = [];
  Object.assign(URL, {
    createObjectURL: (file: Blob) => {
      files.push(file);
      return 'blob:here';
    },
    revokeObjectURL: () => undefined,
  });
  // There is nobody who would take the file: the link is not followed.
  const stay = (event: Event) => event.preventDefault();
  document.addEventListener('click', stay);
  onTestFinished(() => document.removeEventListener('click', stay));
  return files;
}

describe('Train and Deploy', () => {
  it('trains again, keeps the policy until it is deployed, and rolls back with a reason that stays [DPL-2]', async () => {
    const { call, url, policyId } = await openPlace('train');
    await screen.findAllByText(/unseen examples/);
    await screen.findAllByText('ready');
    fireEvent.click(screen.getByRole('button', { name: 'More' }));
    fireEvent.click(screen.getByLabelText('Search for the best settings'));
    fireEvent.change(screen.getByLabelText('Texts are read by'), { target: { value: 'words' } });
    expect(screen.getByLabelText('Tune the text model')).toHaveProperty('disabled', true);
    fireEvent.click(screen.getByRole('button', { name: 'Start training' }));
    await screen.findByRole('progressbar', { name: 'Training progress' });
    await screen.findByText('Trained, not live');
    fireEvent.click(screen.getByRole('button', { name: 'Deploy it' }));
    const active = async () =>
      (await call('GET', `${url}/policies`)).body.find(({ deployed }: { deployed: boolean }) => deployed).version;
    const [{ id: second }] = (await call('GET', `${url}/policies`)).body;
    expect((await call('GET', `${url}/policies/${second}`)).body.training_config).toMatchObject({
      text_model: 'words',
    });
    expect(await active()).toBe(1);
    fireEvent.click(await within(await region('Deploy')).findByRole('button', { name: 'Deploy v2' }));
    await waitFor(async () => expect(await active()).toBe(2));
    fireEvent.change(await screen.findByLabelText('Reason'), { target: { value: 'v2 errs abroad' } });
    fireEvent.click(await screen.findByRole('button', { name: 'Deploy v1' }));
    await waitFor(async () => expect(await active()).toBe(1));
    const history = await region('History');
    await within(history).findByText('v2 errs abroad');
    expect(
      within(history)
        .getAllByText(/^v\d$/)
        .map(({ textContent }) => textContent),
    ).toEqual(['v1', 'v2', 'v1']);
    await waitFor(() => expect(screen.getByLabelText('Reason')).toHaveProperty('value', ''));
    fireEvent.click(screen.getByRole('link', { name: 'Evaluate v2' }));
    fireEvent.change(await screen.findByLabelText('Compare with'), { target: { value: policyId } });
    const comparison = await region('v2 against v1');
    await within(comparison).findByText(/examples that neither had seen/);
  });

  it('shows each change of what decides in words, and takes one back in one click [REL-11]', async () => {
    const { call, url, show } = await serve();
    const ask = () => call('POST', '/api/v1/decide', { decision_type: claims.name, input: plain });
    const { digest } = (await ask()).body;
    const everything = { name: 'everything', condition: 'true', then: 'refuse', priority: 1 };
    await call('PUT', url, { hard_rules: [...claims.rules, everything] });
    expect((await ask()).body).toMatchObject({ release: 2, decision: 'refuse' });
    show('deploy');
    const history = await region('History');
    await within(history).findByText(/^Rule “everything” is new: If true, the answer is refuse\.$/);
    expect(within(history).getAllByText(/^1 decision, .* automated$/)).toHaveLength(2);
    fireEvent.click(within(history).getByRole('button', { name: 'Back to this one: release 1' }));
    await within(history).findByText('Back to release 1.');
    expect((await ask()).body).toMatchObject({ release: 3, digest, decision: 'pay' });
    expect(within(history).getAllByText('decides now')).toHaveLength(1);
  });

  it('names a release by an alias, moves it and takes it away [REL-14]', async () => {
    const { call, url, show } = await serve();
    await call('PUT', url, { hard_rules: [] });
    const by = async (alias: string) =>
      (await call('POST', '/api/v1/decide', { decision_type: `${claims.name}@${alias}`, input: plain })).body.release;
    show('deploy');
    const aliases = await region('Aliases');
    fireEvent.change(within(aliases).getByLabelText('New alias'), { target: { value: 'production' } });
    fireEvent.click(within(aliases).getByRole('button', { name: 'Name release 2' }));
    const choice = await within(aliases).findByLabelText('Release of production');
    expect(await by('production')).toBe(2);
    fireEvent.change(choice, { target: { value: '1' } });
    await waitFor(async () => expect(await by('production')).toBe(1));
    fireEvent.click(within(aliases).getByRole('button', { name: 'Remove the alias production' }));
    await waitFor(() => expect(within(aliases).queryByLabelText('Release of production')).toBeNull());
    expect(await by('production')).toBe(undefined);
  });

  it('cancels a training that runs, and keeps its settings for the next one, which replaces nothing unasked [TRN-23] [DPL-2]', async () => {
    const { show } = await openPlace('train');
    await screen.findAllByText('ready');
    const autoDeploy = () => screen.getByLabelText('Deploy when it is done');
    const keepsExamples = () => screen.getByLabelText('Put examples into the bundle');
    fireEvent.click(await screen.findByRole('button', { name: 'More' }));
    expect([autoDeploy(), keepsExamples()]).toMatchObject([{ checked: false }, { checked: false }]);
    fireEvent.click(autoDeploy());
    fireEvent.click(keepsExamples());
    fireEvent.click(screen.getByRole('button', { name: 'Start training' }));
    fireEvent.click(await screen.findByRole('button', { name: 'Cancel training' }));
    await screen.findByText('Cancelled');
    closePage();
    show('train');
    await screen.findByText('Cancelled');
    fireEvent.click(await screen.findByRole('button', { name: 'More' }));
    await waitFor(() => expect(keepsExamples()).toHaveProperty('checked', true));
    expect(autoDeploy()).toHaveProperty('checked', false);
  });

  it('says what an export does while it takes, and stops it [MOV-7]', async () => {
    const files = keepDownloads();
    const { call, url } = await serve();
    const never = new Promise<never>(() => undefined);
    const slow: Call = (method, path, ...rest) => (path.endsWith('/archive') ? never : call(method, path, ...rest));
    showWindow(slow, `#/types/${url.split('/').at(-1)}/deploy`);
    const part = await region('Move it');
    fireEvent.click(within(part).getByRole('button', { name: 'Export the decision type' }));
    await within(part).findByText('Packing examples, policies and releases…');
    fireEvent.click(within(part).getByRole('button', { name: 'Stop' }));
    await waitFor(() => expect(within(part).queryByText(/^Packing/)).toBeNull());
    expect([within(part).queryByRole('alert'), files]).toEqual([null, []]);
  });

  it('exports the bundle and shows programs how to ask', async () => {
    const files = keepDownloads();
    await openPlace('deploy');
    fireEvent.click(await screen.findByLabelText('Leave the text model out'));
    fireEvent.click(screen.getByRole('button', { name: 'Export bundle' }));
    await screen.findByText(/is in your downloads/);
    expect(files).toHaveLength(1);
    fireEvent.click(screen.getByRole('button', { name: 'Save report' }));
    await waitFor(() => expect(files).toHaveLength(2));
    await waitFor(() => expect(document.querySelector('main')?.textContent ?? 'NO MAIN').toContain('"country": "'));
  });
});
