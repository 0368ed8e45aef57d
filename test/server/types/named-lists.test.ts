/** Named lists of a type over REST: what rules decide by them, and what keeps a list from being taken away. */
import { expect, it } from 'vitest';
import { openForTest } from '../workbench.ts';

const base = '/api/v1/decision-types';
const type = {
  name: 'orders',
  options: ['ship', 'check'],
  fallback_option: 'ship',
  lists: { eu: ['DE', 'FR'], risky: ['XX', 7, true] },
  hard_rules: [{ name: 'customs', condition: '!(ctx.country in lists.eu)', then: 'check' }],
};

it('lists are saved with the rules that name them, decide at once, and stay while they are named [RUL-13] [TYP-10]', async () => {
  const { call } = await openForTest();
  const made = await call('POST', base, type);
  expect(made.status, made.text).toBe(201);
  expect(made.body.active_version).toMatchObject({ version_number: 1, lists: type.lists });
  const path = `${base}/${made.body.id}`;
  const policy = await call('POST', `${path}/policies`, { kind: 'rules_only' });
  const deployed = await call('POST', `${path}/policies/${policy.body.id}/deploy`);
  expect(deployed.status, deployed.text).toBe(200);
  const decide = async (country: string) => {
    const { body } = await call('POST', '/api/v1/decide', { decision_type: 'orders', input: { country } });
    return [body.decision, body.stage];
  };
  expect([await decide('FR'), await decide('CH')]).toEqual([
    ['ship', 'fallback'],
    ['check', 'rules'],
  ]);

  const refused = await call('PUT', path, { lists: { risky: ['XX'] } });
  expect([refused.status, refused.body.error.details]).toEqual([
    422,
    [
      {
        type: 'rule',
        loc: ['body', 'hard_rules', 0, 'condition'],
        msg: 'There is no list named eu. (There are: risky.)',
      },
    ],
  ]);
  expect((await call('GET', path)).body.active_version).toMatchObject({ version_number: 1, lists: type.lists });

  const longer = { eu: ['DE', 'FR', 'CH'] };
  expect((await call('PUT', path, { lists: longer })).body.active_version).toMatchObject({ version_number: 2 });
  expect(await decide('CH')).toEqual(['ship', 'fallback']);
  expect((await call('PUT', path, { lists: longer })).body.active_version).toMatchObject({ version_number: 2 });
  const rules = [{ name: 'a', condition: 'ctx.country in lists.eu', then: 'ship' }];
  const checked = await call('POST', '/api/v1/rules/check', { rules, options: type.options, lists: longer });
  expect([checked.status, checked.body.ok]).toEqual([200, true]);
  const analysed = await call('POST', `${path}/rules/analyse`, { rules });
  expect([analysed.status, analysed.body.problems]).toEqual([200, []]);
  const without = await call('POST', `${path}/rules/analyse`, { rules, lists: {} });
  expect(without.body.problems).toMatchObject([
    { message: 'There is no list named eu.', range: { start: 15, end: 23 } },
  ]);
});

it.each([
  ['no value', { eu: [] }],
  ['a value that is none', { eu: [null] }],
  ['too many values', { eu: Array.from({ length: 1001 }, (_, at) => at) }],
  ['a name that no condition can hold', { 'eu-west': ['DE'] }],
  ['a word of the language as name', { in: ['DE'] }],
  ['too many lists', Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`l${at}`, [at]]))],
])('lists with %s are refused [RUL-13]', async (_what, lists) => {
  const { call } = await openForTest();
  const refused = await call('POST', base, { ...type, hard_rules: [], lists });
  expect([refused.status, refused.body.error.details[0].loc.slice(0, 2)]).toEqual([422, ['body', 'lists']]);
});
