/** One list says who deleted, imported, switched, exported or made keys, also of what is gone. */
import { expect, it } from 'vitest';
import { callerOf, makeType, openForTest, stoppedClock } from '../workbench.ts';

const dayMs = 24 * 3600 * 1000;
const list = '/api/v1/activity';

it('names everybody who deleted, imported, switched, exported or made keys [ACT-1]', async () => {
  const clock = stoppedClock();
  const { app, call, deps } = await openForTest({}, clock);
  const { body: key } = await call('POST', '/api/v1/api-keys', { name: 'bot', holder: 'Bo' });
  const bot = callerOf(app, { authorization: `Bearer ${key.key}` });
  const id = await makeType(call, { name: 'gone', retention_days: 3, options: ['a', 'b'] });
  const url = `/api/v1/decision-types/${id}`;
  await bot('PUT', url, { description: 'is not noted' });
  await bot('PUT', url, { publish_by_another: true });
  await bot('GET', `${url}/archive`);
  await bot('GET', `${url}/logs/export?format=csv`);
  const tried = [await call('DELETE', url), await bot('DELETE', url)];
  expect(tried.map(({ status }) => status)).toEqual([409, 204]);
  const { items } = (await bot('GET', list)).body;
  const shown = items.map(({ operation, by, details, decision_type }: Record<string, unknown>) =>
    [operation, by, decision_type, details].join(' | '),
  );
  expect(shown).toEqual([
    'decision_types.delete | key "bot" | gone | ',
    'logs.export | key "bot" | gone | csv',
    'decision_types.archive | key "bot" | gone | ',
    'decision_types.update | key "bot" | gone | publish_by_another: true',
    `api_keys.create | Owner |  | ${key.prefix}…, name: "bot", scopes: null, holder: "Bo"`,
  ]);
  expect(items[0]).toMatchObject({
    api_key_id: key.id,
    decision_type_id: id,
    summary: expect.stringContaining('Delete'),
  });
  expect((await call('GET', `${list}?decision_type_id=${id}&page_size=2`)).body).toMatchObject({ total: 4, pages: 2 });
  // It is kept as long as the longest log is.
  clock.move(2 * dayMs);
  deps.store.activity.forget(clock.now());
  expect((await bot('GET', list)).body.total).toBe(5);
  clock.move(2 * dayMs);
  deps.store.activity.forget(clock.now());
  expect((await bot('GET', list)).body.total).toBe(0);
});
