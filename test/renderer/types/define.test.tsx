import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { Define } from '../../../src/renderer/features/define/define.tsx';
import { useOperation } from '../../../src/renderer/state/queries.ts';
import type { DecisionType } from '../../../src/server/contract/types/decision-types.ts';
import { type Call, makeType, openForTest } from '../../server/workbench.ts';
import { closePage, emptyStorage, fetchFrom, openPage, show } from '../page.tsx';

afterEach(closePage);

function Place({ id }: { id: string }) {
  const type = useOperation('decision_types.get', { params: { decision_type_id: id }, query: {} }).data as
    | DecisionType
    | undefined;
  return type ? <Define type={type} /> : null;
}

async function openDefine(call: Call, id: string, storage = emptyStorage()) {
  const page = openPage(fetchFrom(call), { storage });
  const shown = show(<Place id={id} />, page, id);
  await screen.findByLabelText('Name');
  return { page, ...shown };
}
const enter = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
/** The button of the notice that says `text`. */
async function findUndo(text: string): Promise<HTMLElement> {
  const notice = (await screen.findAllByText(text)).at(-1)?.parentElement;
  return within(notice ?? document.body).getByText('Undo');
}

describe('Define', () => {
  it('sets which connected model is asked, and renames no option beside unsaved changes', async () => {
    const { call } = await openForTest();
    await call('POST', '/api/v1/connections', { name: 'judge', url: 'http://127.0.0.1:1/v1', model: 'm' });
    const id = await makeType(call);
    await openDefine(call, id);
    const rename = () => screen.getByRole('button', { name: 'Change an option…' });
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

  it('keeps a threshold whose field is emptied, and shows it again when the field is left', async () => {
    const { call } = await openForTest();
    await openDefine(call, await makeType(call));
    const field = screen.getByLabelText<HTMLInputElement>('Decide directly from');
    const kept = field.value;
    for (const typed of ['', '0.', '-']) {
      enter('Decide directly from', typed);
      expect(field.value).toBe(typed);
      fireEvent.blur(field);
      expect(field.value).toBe(kept);
    }
    expect(screen.queryByText('Save changes')).toBeNull();
    enter('Decide directly from', '0.9');
    await screen.findByText('Save changes');
  });

  it('gives an option a higher threshold than the others, and takes it away again [CST-9]', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    await openDefine(call, id);
    const read = async () =>
      (await call('GET', `/api/v1/decision-types/${id}`)).body.active_version.confidence_thresholds;
    const common = await read();
    enter('An option that needs more confidence', 'no');
    enter('no directly from', '0.97');
    fireEvent.click(screen.getByText('Save changes'));
    await waitFor(async () => expect(await read()).toEqual({ ...common, by_option: { no: 0.97 } }));
    fireEvent.click(await screen.findByRole('button', { name: 'No own threshold for no' }));
    fireEvent.click(await screen.findByText('Save changes'));
    await waitFor(async () => expect(await read()).toEqual(common));
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
    await screen.findByText(/Another window or program has changed the description/);
    expect(await stored()).toBe('theirs');
    fireEvent.click(screen.getByText('Save mine'));
    await waitFor(async () => expect(await stored()).toBe('mine'));
  });

  it('asks for releases that are published by hand, and not by the author of a draft [DRA-9]', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    await openDefine(call, id);
    fireEvent.click(screen.getByLabelText('Publish by hand'));
    fireEvent.click(screen.getByLabelText('Not by its author'));
    fireEvent.click(screen.getByText('Save changes'));
    await screen.findByText('Saved. Version 1 is active.');
    expect((await call('GET', `/api/v1/decision-types/${id}`)).body).toMatchObject({
      publish_by_hand: true,
      publish_by_another: true,
    });
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

  it('merges an option into another, and takes that back from the notice, labels and rules with it [OPT-3]', async () => {
    const { call } = await openForTest();
    const id = await makeType(call, {
      options: ['yes', 'no', 'maybe'],
      rules: [{ name: 'small', condition: 'ctx.n < 5', then: 'maybe', priority: 1 }],
    });
    const url = `/api/v1/decision-types/${id}`;
    await call('POST', `${url}/examples`, { examples: [{ input: { n: 1 }, decision: 'maybe' }] });
    await openDefine(call, id);
    fireEvent.click(screen.getByRole('button', { name: 'Change an option…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Change an option everywhere' });
    fireEvent.click(within(dialog).getByText('Merge'));
    enter('Option', 'maybe');
    enter('Into', 'no');
    fireEvent.click(within(dialog).getByText('Show what it affects'));
    await within(dialog).findByText('1 example with this label');
    fireEvent.click(within(dialog).getByText('Merge everywhere'));
    const undo = await findUndo('Merged maybe into no. Version 2 is active.');
    expect((await call('GET', `${url}/examples/stats`)).body.by_option).toEqual({ yes: 0, no: 1 });
    fireEvent.click(undo);
    await waitFor(async () =>
      expect((await call('GET', url)).body.active_version).toMatchObject({
        version_number: 3,
        options: ['yes', 'no', 'maybe'],
        hard_rules: [{ then: 'maybe' }],
      }),
    );
    expect((await call('GET', `${url}/examples/stats`)).body.by_option).toEqual({ yes: 0, no: 0, maybe: 1 });
  });

  it('tells why a change of an option cannot be taken back any more, and lets earlier acts be undone', async () => {
    const { call } = await openForTest();
    const id = await makeType(call, { options: ['yes', 'no', 'maybe'] });
    const url = `/api/v1/decision-types/${id}`;
    const { page } = await openDefine(call, id);
    fireEvent.click(screen.getByRole('button', { name: 'Change an option…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Change an option everywhere' });
    fireEvent.click(within(dialog).getByText('Delete'));
    enter('Option', 'no');
    fireEvent.click(within(dialog).getByText('Show what it affects'));
    fireEvent.click(await within(dialog).findByText('Delete everywhere'));
    const undo = await findUndo('Deleted no. Version 2 is active.');
    await call('PUT', url, { options: ['yes', 'maybe', 'other'] });
    fireEvent.click(undo);
    await screen.findByText(/The decision type was changed after this option/);
    expect(await page.acts.undo(id)).toBeNull();
  });

  it('takes the notice of a discard away with the next edit, and says it beside no other type', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    const other = await makeType(call, { name: 'other' });
    const { page, unmount } = await openDefine(call, id);
    const said = () => screen.queryByText('The changes are discarded.');
    enter('Description', 'Half a sentence');
    fireEvent.click(screen.getByText('Discard changes'));
    expect(said()).not.toBeNull();
    enter('Description', 'Another one');
    expect(said()).toBeNull();
    fireEvent.click(screen.getByText('Discard changes'));
    expect(said()).not.toBeNull();
    unmount();
    show(<Place id={other} />, page, other);
    await screen.findByLabelText('Name');
    expect(said()).toBeNull();
  });

  it('brings discarded changes back, from the notice', async () => {
    const { call } = await openForTest();
    const id = await makeType(call);
    await openDefine(call, id);
    enter('Description', 'Half a sentence');
    fireEvent.click(screen.getByText('Discard changes'));
    expect(screen.getByLabelText('Description')).toHaveProperty('value', '');
    fireEvent.click(await findUndo('The changes are discarded.'));
    expect(screen.getByLabelText('Description')).toHaveProperty('value', 'Half a sentence');
  });
});
