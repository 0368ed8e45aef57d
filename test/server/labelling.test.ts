import { describe, expect, it } from 'vitest';
import { makeType, openForTest } from './workbench.ts';

async function openRows(count: number) {
  const opened = await openForTest();
  const id = await makeType(opened.call);
  const url = `/api/v1/decision-types/${id}/examples`;
  const examples = Array.from({ length: count }, (_, n) => ({ input: { n } }));
  const added = await opened.call('POST', url, { examples });
  const ids: string[] = added.body.map((example: { id: string }) => example.id);
  const patch = (n: number, body: object) => opened.call('PATCH', `${url}/${ids[n]}`, body);
  const bulk = (body: object) => opened.call('POST', `${url}/bulk`, body);
  const list = async (status: string): Promise<number[]> =>
    (await opened.call('GET', `${url}?status=${status}`)).body.items.map(
      (item: { input_payload: { n: number } }) => item.input_payload.n,
    );
  return { ...opened, url, ids, patch, bulk, list };
}

describe('the status of an example', () => {
  it('follows its label, unless somebody skipped or flagged it [EXA-4] [LBL-1] [LBL-2]', async () => {
    const { call, url, ids, patch, list } = await openRows(4);
    expect((await patch(0, { status: 'skipped' })).body).toMatchObject({ status: 'skipped', note: null });
    const note = 'Ask the shop what "used" means.';
    expect((await patch(1, { status: 'flagged', note })).body).toMatchObject({ status: 'flagged', note });
    expect((await patch(2, { expected_decision: 'yes' })).body.status).toBe('done');
    expect((await call('GET', `${url}/${ids[1]}`)).body).toMatchObject({ id: ids[1], status: 'flagged', note });
    expect((await call('GET', `${url}/018f0000-0000-7000-8000-000000000000`)).status).toBe(404);
    expect([await list('to_label'), await list('skipped'), await list('flagged'), await list('done')]).toEqual([
      [3],
      [0],
      [1],
      [2],
    ]);
    // A label settles it; an edit of something else does not.
    expect((await patch(0, { expected_decision: 'no' })).body.status).toBe('done');
    expect((await patch(1, { reviewed: true })).body.status).toBe('flagged');
    expect((await patch(1, { expected_decision: 'no', status: 'flagged' })).body.status).toBe('flagged');
    expect((await patch(2, { expected_decision: null })).body.status).toBe('to_label');
  });

  it('is refused where the label says otherwise, and nothing is changed [LBL-1]', async () => {
    const { patch, list } = await openRows(1);
    const refused = await patch(0, { status: 'done', note: 'x' });
    expect([refused.status, refused.body.error.details[0].loc]).toEqual([422, ['body', 'status']]);
    await patch(0, { expected_decision: 'yes' });
    expect((await patch(0, { status: 'to_label' })).status).toBe(422);
    expect((await patch(0, { status: 'done' })).body).toMatchObject({ status: 'done', note: null });
    expect(await list('done')).toEqual([0]);
  });

  it('is set for many at once, and that can be undone [LBL-1] [EXA-12]', async () => {
    const { call, url, ids, patch, bulk, list } = await openRows(4);
    await patch(3, { expected_decision: 'yes' });
    const skipped = await bulk({ ids, action: 'set_status', status: 'skipped' });
    expect([skipped.body.affected, await list('skipped')]).toEqual([4, [3, 2, 1, 0]]);
    const back = await bulk({ filter: { status: 'skipped' }, action: 'set_status', status: 'to_label' });
    expect([back.body.affected, await list('to_label'), await list('skipped')]).toEqual([3, [2, 1, 0], [3]]);
    await bulk({ ids: ids.slice(2), action: 'set_decision', decision: 'no' });
    expect(await list('done')).toEqual([3, 2]);
    await call('POST', `${url}/undo`, { undo_token: back.body.undo_token });
    expect(await list('skipped')).toEqual([2, 1, 0]);
    expect((await bulk({ ids, action: 'set_status' })).body.error.details[0].loc).toEqual(['body', 'status']);
  });
});
