import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { goTo } from '../../src/renderer/state/route.ts';
import { fails, startStub } from '../server/teacher-stub.ts';
import { writeSmallModel } from '../server/texts/small-text-model.ts';
import { makeType, openForTest, temporaryFolder } from '../server/workbench.ts';
import { closePage, showWindow } from './page.tsx';

afterEach(closePage);

async function openSettings(section: string) {
  const { call } = await openForTest();
  const id = await makeType(call);
  return { call, id, ...showWindow(call, `#/settings/${section}`) };
}

describe('Settings', () => {
  it('makes a key that is shown once, and asks before it is revoked', async () => {
    const { call } = await openSettings('keys');
    const create = await screen.findByRole('button', { name: 'Create key' });
    expect(create).toHaveProperty('disabled', true);
    fireEvent.change(screen.getByLabelText('Name of a new key'), { target: { value: 'shop' } });
    fireEvent.change(screen.getByLabelText('Calls a minute'), { target: { value: '50' } });
    fireEvent.click(create);
    await screen.findByText(/Copy it now: it is never shown again/);
    await screen.findByText('never');
    expect((await call('GET', '/api/v1/api-keys')).body).toMatchObject([{ name: 'shop', rate_limit_per_minute: 50 }]);
    fireEvent.click(screen.getByRole('button', { name: 'Revoke shop' }));
    expect((await call('GET', '/api/v1/api-keys')).body).toHaveLength(1);
    fireEvent.click(screen.getByRole('button', { name: 'Revoke shop now' }));
    await screen.findByText('Programs sign in with a key. There is none yet.');
    expect((await call('GET', '/api/v1/api-keys')).body).toEqual([]);
  });

  it('makes a key for some things only, and says of each what it may do [AGT-5]', async () => {
    const { call } = await openSettings('keys');
    fireEvent.change(await screen.findByLabelText('Name of a new key'), { target: { value: 'labels' } });
    fireEvent.click(screen.getByRole('combobox', { name: 'Allowed' }));
    fireEvent.click(await screen.findByRole('option', { name: 'label examples' }));
    fireEvent.click(screen.getByRole('option', { name: 'read', hidden: true }));
    expect(screen.queryByRole('checkbox', { name: /Agents may also train/ })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Create key' }));
    await screen.findByText(/Copy it now/);
    await screen.findByText('read, label examples');
    expect((await call('GET', '/api/v1/api-keys')).body).toMatchObject([{ name: 'labels', scopes: ['read', 'label'] }]);
  });

  it('adds a text model from a folder, says what is not known, offers it to a training and removes it [TRN-28]', async () => {
    const { call, id } = await openSettings('text-models');
    const folder = await screen.findByLabelText('Folder');
    const add = screen.getByRole('button', { name: 'Add' });
    fireEvent.change(folder, { target: { value: '/there/is/none' } });
    fireEvent.click(add);
    await screen.findByText(/is not a readable folder/);
    fireEvent.change(folder, { target: { value: writeSmallModel() } });
    fireEvent.click(add);
    await screen.findByText(/was added\. .*There is no golden\.json/);
    const [, , { name }] = (await call('GET', '/api/v1/text-models')).body;
    await screen.findByRole('row', { name: new RegExp(`${name} .*English, German`) });
    goTo({ page: 'type', id, place: 'train' });
    fireEvent.click(await screen.findByRole('button', { name: 'More' }));
    await screen.findByRole('option', { name });
    goTo({ page: 'settings', section: 'text-models' });
    fireEvent.click(await screen.findByRole('button', { name: `Remove ${name}` }));
    await waitFor(() => expect(screen.queryByRole('button', { name: `Remove ${name}` })).toBeNull());
    expect((await call('GET', '/api/v1/text-models')).body).toHaveLength(2);
  });

  it('backs the data folder up, lists the copy, verifies it and restores it into a new folder', async () => {
    const { call } = await openSettings('data');
    await screen.findByText(/There is no backup yet/);
    fireEvent.click(screen.getByRole('button', { name: 'Back up now' }));
    await screen.findByText(/The last backup was made/);
    const [backup] = (await call('GET', '/api/v1/backups')).body;
    within(screen.getByRole('table')).getByText(backup.name);
    fireEvent.click(screen.getByRole('button', { name: `Verify ${backup.name}` }));
    await screen.findByText('Every file is as it was written.');
    fireEvent.click(screen.getByRole('button', { name: `Restore ${backup.name}` }));
    const dialog = await screen.findByRole('dialog');
    const folder = within(dialog).getByRole('textbox');
    const restore = within(dialog).getByRole('button', { name: 'Restore into the new folder' });
    fireEvent.change(folder, { target: { value: 'somewhere' } });
    fireEvent.click(restore);
    await within(dialog).findByText(/must be an absolute path/);
    fireEvent.change(folder, { target: { value: `${temporaryFolder()}/restored` } });
    fireEvent.click(restore);
    await within(dialog).findByText(/Start a workbench on them/);
  });

  it('sets the webhook of alerts, tries it and says how the last one went [ALR-2]', async () => {
    const { url, asked } = await startStub(fails(503), fails(204));
    await openSettings('data');
    await screen.findByText(/are sent to nobody/);
    const field = screen.getByRole('textbox', { name: 'Address of a webhook' });
    fireEvent.change(field, { target: { value: 'http://pager.example' } });
    fireEvent.click(screen.getByRole('button', { name: 'Send there' }));
    await screen.findByText(/must begin with https/);
    fireEvent.change(field, { target: { value: url } });
    fireEvent.click(screen.getByRole('button', { name: 'Send there' }));
    await screen.findByText(/^whsec_/);
    fireEvent.click(screen.getByRole('button', { name: 'Send a test' }));
    await screen.findByText(/Last alert .* It answered 503\./);
    fireEvent.click(screen.getByRole('button', { name: 'Send a test' }));
    await screen.findByText(/Last alert .* It arrived\./);
    expect(asked).toHaveLength(2);
    fireEvent.click(screen.getByRole('button', { name: 'Send nowhere' }));
    await screen.findByText(/are sent to nobody/);
  });

  it('says that the data are damaged once the daily check has found it [DAT-6]', async () => {
    const { call, deps } = await openForTest();
    deps.db.pragma('foreign_keys = OFF');
    deps.db.exec("INSERT INTO example_undos (token, decision_type_id, created_at) VALUES ('t', 'nobody', 0)");
    showWindow(call, '#/settings/data');
    await screen.findByText(/There is no backup yet/);
    expect(screen.queryByRole('alert')).toBeNull();
    closePage();
    await deps.caretaker.check();
    showWindow(call, '#/settings/data');
    expect((await screen.findByRole('alert')).textContent).toMatch(/data of this workbench are damaged.*restore/);
  });

  it('changes the plan and shows what is left of it', async () => {
    const { call } = await openSettings('credits');
    const plan = await screen.findByLabelText('Plan');
    await screen.findByText('no limit');
    await screen.findByText('Nothing was used in this period.');
    fireEvent.change(plan, { target: { value: 'starter' } });
    await waitFor(async () => expect((await call('GET', '/api/v1/billing/plans')).body.current).toBe('starter'));
    const { remaining } = (await call('GET', '/api/v1/credits')).body;
    await screen.findByText(remaining.toLocaleString());
  });

  it('takes other keys for a command, and refuses those of another one', async () => {
    const { workbench } = await openSettings('shortcuts');
    const change = await screen.findByRole('button', { name: 'Change the keys of Start' });
    fireEvent.click(change);
    fireEvent.keyDown(change, { key: '?', shiftKey: true });
    await screen.findByText('? already means “Keyboard shortcuts”. Change that one first.');
    fireEvent.click(change);
    fireEvent.keyDown(change, { key: 'h' });
    expect(workbench.settings.store.getState().keys).toEqual({ types: 'h' });
    fireEvent.click(screen.getByRole('button', { name: 'Reset the keys of Start' }));
    expect(workbench.settings.store.getState().keys).toEqual({});
  });

  it('sets the look', async () => {
    const { workbench } = await openSettings('look');
    fireEvent.click(await screen.findByRole('radio', { name: 'Dark' }));
    expect(workbench.settings.store.getState().theme).toBe('dark');
  });
});
