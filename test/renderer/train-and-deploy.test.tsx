import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Call } from '../server/workbench.ts';
import { prepareClaims } from './claims.ts';
import { claims } from './deployed.ts';
import { closePage, keepDownloads, showWindow } from './page.tsx';

const plain = { proof: 95, amount: 500, online: true, shop: { country: 'DE' } };

const { serve, openPlace } = prepareClaims();
const region = (name: string) => screen.findByRole('region', { name });

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
    // One way back: what has decided is in the history, which asks for the reason once nothing else can be deployed.
    const history = await region('History');
    fireEvent.change(await within(history).findByLabelText('Reason'), { target: { value: 'v2 errs abroad' } });
    fireEvent.click(await within(history).findByRole('button', { name: 'Back to this one: release 1' }));
    await waitFor(async () => expect(await active()).toBe(1));
    expect(screen.queryByRole('button', { name: /^Deploy v/ })).toBeNull();
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
