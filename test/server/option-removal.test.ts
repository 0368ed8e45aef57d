import { describe, expect, it } from 'vitest';
import { makeType, openForTest } from './workbench.ts';

async function openThree() {
  const opened = await openForTest();
  const rule = (name: string, then: string) => ({ name, condition: 'ctx.n > 5', then, priority: 1 });
  const id = await makeType(opened.call, {
    name: 'mail',
    options: ['answer', 'reply', 'ignore'],
    rules: [rule('long', 'reply'), rule('short', 'ignore')],
    fallback_option: 'reply',
  });
  const url = `/api/v1/decision-types/${id}`;
  const labels = ['answer', 'reply', 'reply', 'ignore', null];
  const examples = labels.map((decision, n) => ({ input: { n }, decision }));
  await opened.call('POST', `${url}/examples`, { examples });
  const change = (what: string, body: object) => opened.call('POST', `${url}/options/${what}`, body);
  const stats = async () => (await opened.call('GET', `${url}/examples/stats`)).body;
  return { ...opened, url, change, stats };
}
const touches = { examples: 2, rules: ['long'], fallback_option: true, deployed_policy: false };

describe('an option that goes', () => {
  it('is merged into another with its examples, rules and fallback, after showing what that touches [OPT-1]', async () => {
    const { call, url, change, stats } = await openThree();
    const shown = await change('merge', { from: 'reply', into: 'answer' });
    expect(shown.body).toMatchObject({ committed: false, touches });
    expect(shown.body.decision_type.active_version.version_number).toBe(1);
    const { undo_token } = (
      await call('POST', `${url}/examples/bulk`, { filter: {}, action: 'set_reviewed', reviewed: true })
    ).body;
    const done = await change('merge', { from: 'reply', into: 'answer', commit: true });
    expect(done.body).toMatchObject({
      committed: true,
      touches,
      decision_type: {
        fallback_option: 'answer',
        active_version: {
          version_number: 2,
          options: ['answer', 'ignore'],
          hard_rules: [
            { name: 'long', then: 'answer' },
            { name: 'short', then: 'ignore' },
          ],
        },
      },
    });
    expect((await stats()).by_option).toEqual({ answer: 3, ignore: 1 });
    expect((await call('POST', `${url}/examples/undo`, { undo_token })).status).toBe(409);
  });

  it.each([
    ['unlabel', { total: 5, labelled: 2 }],
    ['delete', { total: 3, labelled: 2 }],
  ] as const)('is deleted with its rules and fallback, and its examples: %s [OPT-2]', async (examples, left) => {
    const { change, stats } = await openThree();
    expect((await change('delete', { option: 'reply', examples })).body).toMatchObject({ committed: false, touches });
    expect(await stats()).toMatchObject({ total: 5, labelled: 4 });
    const done = await change('delete', { option: 'reply', examples, commit: true });
    expect(done.body.decision_type).toMatchObject({
      fallback_option: null,
      active_version: { options: ['answer', 'ignore'], hard_rules: [{ name: 'short' }] },
    });
    expect(await stats()).toMatchObject({ ...left, by_option: { answer: 1, ignore: 1 } });
  });

  it('is refused where it is unknown or too few would be left, and nothing is changed [OPT-1] [OPT-2]', async () => {
    const { call, url, change, stats } = await openThree();
    const before = [await stats(), (await call('GET', url)).body];
    for (const [what, body, field] of [
      ['merge', { from: 'nobody', into: 'answer' }, 'from'],
      ['merge', { from: 'reply', into: 'nobody' }, 'into'],
      ['merge', { from: 'reply', into: 'reply' }, 'into'],
      ['delete', { option: 'nobody' }, 'option'],
    ] as const) {
      const refused = await change(what, { ...body, commit: true });
      expect([refused.status, refused.body.error.details[0].loc]).toEqual([422, ['body', field]]);
    }
    expect([await stats(), (await call('GET', url)).body]).toEqual(before);
    await change('delete', { option: 'reply', commit: true });
    expect((await change('delete', { option: 'answer', commit: true })).status).toBe(422);
    expect((await change('merge', { from: 'answer', into: 'ignore', commit: true })).status).toBe(422);
  });
});
