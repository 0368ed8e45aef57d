import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { useOperation } from '../../src/renderer/api/queries.ts';
import { Define } from '../../src/renderer/features/define/define.tsx';
import type { DecisionType } from '../../src/server/contract/decision-types.ts';
import { type Call, makeType, openForTest } from '../server/workbench.ts';
import { emptyStorage, fetchFrom, openPage, show } from './page.tsx';

afterEach(() => {
  cleanup();
  window.location.hash = '';
});

function Place({ id }: { id: string }) {
  const type = useOperation('decision_types.get', { params: { decision_type_id: id } }).data as
    | DecisionType
    | undefined;
  return type ? <Define type={type} /> : null;
}

async function openDefine(call: Call, id: string, storage = emptyStorage()) {
  const page = openPage(fetchFrom(call), { storage });
  const shown = show(<Place id={id} />, page);
  await screen.findByLabelText('Name');
  return { page, ...shown };
}
const enter = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });

describe('Define', () => {
  it('sets which connected model is asked, and renames no option beside unsaved changes', async () => {
    const { call } = await openForTest();
    await call('POST', '/api/v1/connections', { name: 'judge', url: 'http://127.0.0.1:1/v1', model: 'm' });
    const id = await makeType(call);
    await openDefine(call, id);
    const rename = () => screen.getByRole('button', { name: 'Rename an option everywhere…' });
    expect(rename()).toHaveProperty('disabled', false);
    await screen.findByRole('option', { name: 'judge' });
    enter('Connected model', 'judge');
    expect(rename()).toHaveProperty('disabled', true);
    fireEvent.click(screen.getByText('Save changes'));
    await waitFor(async () =>
      expect((await call('GET', `/api/v1/decision-types/${id}`)).body.active_version).toMatchObject({
        version_number: 2,
        escalation_policy: { enabled: true, connection: 'judge' },
      }),
    );
  });

  it('keeps what was typed through a reload of the page', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    const storage = emptyStorage();
    const first = await openDefine(call, id, storage);
    enter('Description', 'Half a sentence');
    first.unmount();
    await openDefine(call, id, storage);
    expect(screen.getByLabelText('Description')).toHaveProperty('value', 'Half a sentence');
    fireEvent.click(screen.getByText('Discard changes'));
    expect(screen.getByLabelText('Description')).toHaveProperty('value', '');
  });

  it('shows a conflict instead of overwriting what somebody else has saved meanwhile', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    await openDefine(call, id);
    enter('Description', 'mine');
    await call('PUT', `/api/v1/decision-types/${id}`, { description: 'theirs' });
    const stored = async () => (await call('GET', `/api/v1/decision-types/${id}`)).body.description;
    fireEvent.click(screen.getByText('Save changes'));
    await screen.findByText(/In another window or program the description changed/);
    expect(await stored()).toBe('theirs');
    fireEvent.click(screen.getByText('Save mine'));
    await waitFor(async () => expect(await stored()).toBe('mine'));
  });

  it('saves beside a change of another field without asking', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    await openDefine(call, id);
    enter('Description', 'mine');
    await call('PUT', `/api/v1/decision-types/${id}`, { retention_days: 30 });
    fireEvent.click(screen.getByText('Save changes'));
    await waitFor(async () =>
      expect((await call('GET', `/api/v1/decision-types/${id}`)).body).toMatchObject({
        description: 'mine',
        retention_days: 30,
      }),
    );
  });
});
