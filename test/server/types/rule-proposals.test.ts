/** From examples to a rule that decides: proposed, added as it is, and no longer proposed. */
import { expect, it } from 'vitest';
import { makeType, openForTest } from '../workbench.ts';

const base = '/api/v1/decision-types';

it('proposes a rule that can be added as it is, and does not propose it again [RUL-12]', async () => {
  const { call } = await openForTest();
  const options = ['yes', 'no'];
  const id = await makeType(call, { options, pii_fields: ['customer.email'] });
  const examples = Array.from({ length: 400 }, (_, i) => ({
    input: { days: (i * 37) % 100, 'order value': (i * 53) % 211, customer: { email: i % 2 ? 'a@x.org' : 'b@x.org' } },
    decision: (i * 37) % 100 > 60 || i % 2 === 1 ? 'no' : 'yes',
  }));
  expect((await call('POST', `${base}/${id}/examples`, { examples })).status).toBe(201);

  const { status, body } = await call('GET', `${base}/${id}/rule-proposals?min_precision=0.9`);
  expect(status).toBe(200);
  expect(body.rows).toEqual({
    examples: 400,
    undecided: 400,
    searched: expect.any(Number),
    checked: expect.any(Number),
  });
  // The address of the customer would tell it as well, but it is personal.
  expect(JSON.stringify(body)).not.toContain('x.org');
  expect(body.items).toMatchObject([
    {
      rule: { name: 'days > 60', condition: 'ctx.days > 60', then: 'no', reason_code: null, priority: 10 },
      for: 156,
      against: 0,
      against_ids: [],
      share: 0.39,
    },
  ]);
  expect(body.items[0].precision_low).toBeGreaterThan(0.9);

  const rules = [body.items[0].rule];
  expect((await call('PUT', `${base}/${id}`, { hard_rules: rules })).status).toBe(200);
  const effect = (await call('POST', `${base}/${id}/rules/analyse`, { rules })).body.impact.rules[0].examples;
  expect(effect).toMatchObject({ matched: 156, agrees: 156, disagrees: 0 });
  const again = (await call('GET', `${base}/${id}/rule-proposals`)).body;
  expect(again).toMatchObject({ items: [], rows: { undecided: 244 } });
});

it('refuses a precision that is none, and proposes nothing without examples [RUL-12]', async () => {
  const { call } = await openForTest();
  const id = await makeType(call, {});
  expect((await call('GET', `${base}/${id}/rule-proposals`)).body).toMatchObject({ items: [], tried: 0 });
  expect((await call('GET', `${base}/${id}/rule-proposals?min_precision=1.5`)).status).toBe(422);
});
