import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeType, openForTest } from '../workbench.ts';

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

describe('a change of an option that is undone', () => {
  type Act = ['options/rename' | 'options/merge' | 'options/delete' | 'examples/bulk', object];
  const merge: Act = ['options/merge', { from: 'reply', into: 'answer' }];
  const changes: Act[] = [
    merge,
    ['options/rename', { from: 'reply', to: 'respond' }],
    ['options/delete', { option: 'reply', examples: 'unlabel' }],
    ['options/delete', { option: 'reply', examples: 'delete' }],
  ];
  async function openUndoable() {
    const opened = await openThree();
    const { call, url } = opened;
    const read = async () => {
      const { fallback_option, active_version } = (await call('GET', url)).body;
      const { options, hard_rules, confidence_thresholds } = active_version;
      const rows = (await call('GET', `${url}/examples?page_size=100`)).body.items;
      return { fallback_option, options, hard_rules, confidence_thresholds, rows };
    };
    const act = async ([path, body]: Act) => {
      const answer = await call('POST', `${url}/${path}`, {
        ...body,
        ...(path === 'examples/bulk' ? {} : { commit: true }),
      });
      return { path, ...answer };
    };
    const undo = ({ path, body }: { path: string; body: { undo_token: string } }) =>
      call('POST', `${url}/${path === 'examples/bulk' ? 'examples' : 'options'}/undo`, { undo_token: body.undo_token });
    return { ...opened, read, act, undo };
  }

  it.each(changes)('is as it was, in a new version: %s %o [OPT-3] [OPT-5]', async (...change) => {
    const { read, act, undo, call, url } = await openUndoable();
    const before = await read();
    const done = await act(change);
    expect(await read()).not.toEqual(before);
    const undone = await undo(done);
    expect(undone.body).toMatchObject({ affected: 2, decision_type: { active_version: { version_number: 3 } } });
    const after = await read();
    expect(after).toEqual(before);
    expect((await undo(done)).status).toBe(409);
    expect((await call('GET', `${url}/versions`)).body).toHaveLength(3);
  });

  it('can be one of several, undone one after the other [OPT-3] [OPT-4]', async () => {
    const { read, act, undo } = await openUndoable();
    const rename = await act(['options/rename', { from: 'reply', to: 'respond' }]);
    const merged = await act(['options/merge', { from: 'respond', into: 'answer' }]);
    expect((await undo(rename)).status).toBe(409);
    await undo(merged);
    expect((await read()).options).toEqual(['answer', 'respond', 'ignore']);
    expect((await undo(rename)).status).toBe(200);
    expect((await read()).options).toEqual(['answer', 'reply', 'ignore']);
  });

  it('waits for the undo of later changes, even where they leave the type as it was [OPT-3]', async () => {
    const { act, undo } = await openUndoable();
    const merged = await act(merge);
    const there = await act(['options/rename', { from: 'answer', to: 'more' }]);
    const back = await act(['options/rename', { from: 'more', to: 'answer' }]);
    expect((await undo(merged)).body.error.message).toBe('An option was changed after this. Undo that first.');
    for (const each of [back, there, merged]) expect((await undo(each)).status).toBe(200);
  });

  it('leaves the time of examples alone where it only renames them [OPT-5]', async () => {
    const { read, act } = await openUndoable();
    const timesOf = ({ rows }: { rows: { id: string; updated_at: string }[] }) =>
      rows.map(({ id, updated_at }) => [id, updated_at]);
    const before = await read();
    await act(['options/rename', { from: 'reply', to: 'respond' }]);
    expect(timesOf(await read())).toEqual(timesOf(before));
  });

  it('keeps the time of an example that was edited since, and gives it its label back [OPT-3]', async () => {
    const { read, act, undo, call, url } = await openUndoable();
    const [, , reply] = (await read()).rows;
    const merged = await act(merge);
    await call('PATCH', `${url}/examples/${reply.id}`, { note: 'asked twice' });
    const edited = (await call('GET', `${url}/examples/${reply.id}`)).body;
    expect((await undo(merged)).body.affected).toBe(2);
    expect((await call('GET', `${url}/examples/${reply.id}`)).body).toEqual({ ...edited, expected_decision: 'reply' });
  });

  it('leaves alone what was labelled otherwise since [OPT-3]', async () => {
    const { read, act, undo, call, url } = await openUndoable();
    const [, , reply] = (await read()).rows;
    const merged = await act(merge);
    await call('PATCH', `${url}/examples/${reply.id}`, { expected_decision: 'ignore' });
    expect((await undo(merged)).body.affected).toBe(1);
    expect((await call('GET', `${url}/examples/${reply.id}`)).body.expected_decision).toBe('ignore');
  });

  it('is refused where the type was changed since, and nothing is changed [OPT-3]', async () => {
    const { read, act, undo, call, url } = await openUndoable();
    const merged = await act(merge);
    await call('PUT', url, { confidence_thresholds: { auto_decide: 0.9, escalation: 0.5 } });
    const before = await read();
    const refused = await undo(merged);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    expect(await read()).toEqual(before);
    expect((await call('POST', `${url}/options/undo`, { undo_token: 'unknown' })).status).toBe(409);
  });

  it('comes before what was changed earlier, which can be undone after it, step by step to the beginning [OPT-4]', async () => {
    const { read, act, undo, call, url } = await openUndoable();
    const option = fc.constantFrom('answer', 'reply', 'ignore', 'other', 'more');
    const anyAct = fc.oneof(
      fc.record({ from: option, to: option }).map((body): Act => ['options/rename', body]),
      fc.record({ from: option, into: option }).map((body): Act => ['options/merge', body]),
      fc
        .record({ option, examples: fc.constantFrom('unlabel', 'delete') })
        .map((body): Act => ['options/delete', body]),
      fc
        .record({ decision: option, of: option })
        .map(
          ({ decision, of }): Act => ['examples/bulk', { filter: { decision: of }, action: 'set_decision', decision }],
        ),
      option.map((decision): Act => ['examples/bulk', { filter: { decision }, action: 'delete' }]),
    );
    const start = await read();
    await fc.assert(
      fc.asyncProperty(fc.array(anyAct, { minLength: 3, maxLength: 20 }), async (acts) => {
        const steps = [];
        for (const each of acts) {
          const before = await read();
          const done = await act(each);
          if (done.status === 200) steps.push({ done, before });
        }
        for (const [index, { done }] of steps.entries()) {
          const isCovered = steps.slice(index + 1).some((later) => later.done.path.startsWith('options'));
          if (isCovered) expect((await undo(done)).status).toBe(409);
        }
        for (const { done, before } of steps.toReversed()) {
          expect((await undo(done)).status).toBe(200);
          const after = await read();
          const strip = ({ rows, ...rest }: typeof before) => ({
            ...rest,
            rows: new Map(
              rows.map(({ id, expected_decision }: { id: string; expected_decision: string | null }) => [
                id,
                expected_decision,
              ]),
            ),
          });
          expect(strip(after)).toEqual(strip(before));
        }
      }),
      { numRuns: 40 },
    );
    expect((await read()).options).toEqual(start.options);
    expect((await call('GET', `${url}/examples/stats`)).body.total).toBe(5);
  });
});
