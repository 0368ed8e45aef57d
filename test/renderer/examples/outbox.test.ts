/** Labels on their way: kept, in order, sent again after a fault; and every act taken back. */
import { describe, expect, it, vi } from 'vitest';
import type { Journal, LabelPatch } from '../../../src/renderer/api/journal.ts';
import { createOutbox } from '../../../src/renderer/api/outbox.ts';
import { ApiError } from '../../../src/server/contract/client.ts';
import type { Example } from '../../../src/server/contract/examples/examples.ts';
import { makeType, openForTest } from '../../server/workbench.ts';
import { createMemoryJournal } from '../memory-journal.ts';
import { fetchFrom, openPage } from '../page.tsx';

const down = new ApiError('unreachable', 'The workbench server does not answer.', 0);

function startOutbox(journal: Journal, window: string, live: string[] = []) {
  const sent: [string, LabelPatch][] = [];
  const refused: string[] = [];
  let failure: unknown = null;
  const outbox = createOutbox({
    journal,
    window,
    liveWindows: async () => new Set(live),
    send: async ({ exampleId, patch }) => {
      if (failure) throw failure;
      sent.push([exampleId, patch]);
      return {} as Example;
    },
    onSent: () => undefined,
    onRefused: ({ exampleId }) => refused.push(exampleId),
  });
  return { outbox, sent, refused, fail: (error: unknown) => (failure = error) };
}
const red = { expected_decision: 'red' };
const blue = { expected_decision: 'blue' };

describe('the outbox', () => {
  it('keeps labels while the server is away and sends them in order when it is back', async () => {
    const { outbox, sent, fail } = startOutbox(createMemoryJournal(), 'here');
    fail(down);
    outbox.put('t', 'a', red);
    outbox.put('t', 'b', red);
    outbox.put('t', 'a', blue);
    await vi.waitFor(() => expect(outbox.store.getState().waiting).toHaveLength(3), { timeout: 600_000 });
    expect(outbox.store.getState().pending.get('a')).toEqual(blue);
    fail(null);
    outbox.retry();
    await outbox.settled('t');
    expect(sent).toEqual([
      ['a', red],
      ['b', red],
      ['a', blue],
    ]);
  });

  it('takes over what a closed window left, and nothing of one that is alive', async () => {
    const journal = createMemoryJournal();
    for (const name of ['closed', 'alive']) {
      const left = startOutbox(journal, name);
      left.fail(down);
      left.outbox.put('t', `of ${name}`, red);
    }
    await vi.waitFor(async () => expect((await journal.load()).entries).toHaveLength(2), { timeout: 600_000 });
    const next = startOutbox(journal, 'next', ['alive']);
    await next.outbox.adopt();
    expect(next.sent).toEqual([['of closed', red]]);
    expect((await journal.load()).entries.map(({ window }) => window)).toEqual(['alive']);
  });

  it('lets go of a label that the server refuses, and goes on with the next', async () => {
    const { outbox, sent, refused, fail } = startOutbox(createMemoryJournal(), 'here');
    fail(new ApiError('not_found', 'The example does not exist.', 404));
    outbox.put('t', 'gone', red);
    await vi.waitFor(() => expect(refused).toEqual(['gone']), { timeout: 600_000 });
    fail(null);
    outbox.put('t', 'there', red);
    await outbox.settled('t');
    expect(sent).toEqual([['there', red]]);
  });
});

describe('acts on examples', () => {
  async function open() {
    const { call, deps } = await openForTest();
    const typeId = await makeType(call);
    const path = `/api/v1/decision-types/${typeId}`;
    const options: string[] = (await call('GET', path)).body.active_version.options;
    const examples = Array.from({ length: 3 }, (_, place) => ({ input: { place }, decision: options[0] }));
    await call('POST', `${path}/examples`, { examples });
    const page = openPage(fetchFrom(call));
    const rows = async (): Promise<Example[]> => (await call('GET', `${path}/examples`)).body.items;
    const labels = async () => (await rows()).map(({ expected_decision }) => expected_decision);
    return { call, page, typeId, options: options as [string, string], rows, labels, db: deps.db };
  }

  it('are taken back one by one and done again, each to the labels before', async () => {
    const { page, typeId, options, rows, labels } = await open();
    const [first, second] = options;
    for (const example of await rows()) {
      page.acts.label(typeId, example, { expected_decision: second, reviewed: true }, `Labelled ${second}`);
    }
    await page.outbox.settled(typeId);
    expect(await labels()).toEqual([second, second, second]);
    const undone = await page.acts.undo(typeId);
    await page.outbox.settled(typeId);
    expect(undone?.step).toMatchObject({ exampleId: (await rows())[2]?.id });
    expect(await labels()).toEqual([second, second, first]);
    expect((await rows())[2]?.reviewed).toBe(false);
    await page.acts.redo(typeId);
    await page.outbox.settled(typeId);
    expect(await labels()).toEqual([second, second, second]);
    for (let step = 0; step < 3; step += 1) await page.acts.undo(typeId);
    await page.outbox.settled(typeId);
    expect(await labels()).toEqual([first, first, first]);
    expect(await page.acts.undo(typeId)).toBeNull();
  });

  it('are done again whatever they were, and taken back once more', async () => {
    const { page, typeId, options, labels, rows, call } = await open();
    const [first, second] = options;
    const ids = (await rows()).map(({ id }) => id);
    const url = `/api/v1/decision-types/${typeId}`;
    const added = (await call('POST', `${url}/examples`, { examples: [{ input: { place: 4 }, decision: second }] }))
      .body;
    const turn = async (way: 'undo' | 'redo') => (await page.acts[way](typeId))?.title ?? null;

    page.acts.added(typeId, [added[0].id], 'One imported');
    await page.acts.bulk(typeId, [{ ids, action: 'set_decision', decision: second }], 'Three labelled', 3);
    await page.acts.bulk(typeId, [{ ids, action: 'delete' }], 'Three deleted', 3);
    const rename = (from: string, to: string) =>
      ({
        name: 'options.rename',
        input: { params: { decision_type_id: typeId }, body: { from, to, commit: true } },
      }) as const;
    const { undo_token } = (await call('POST', `${url}/options/rename`, rename(first, 'other').input.body)).body;
    const input = { params: { decision_type_id: typeId }, body: { undo_token } };
    page.acts.done(typeId, 'Renamed', { name: 'options.undo', input }, rename(first, 'other'));
    const read = async () => [(await labels()).join(' '), (await call('GET', url)).body.active_version.options[0]];

    const states = [await read()];
    const titles = ['Renamed', 'Three deleted', 'Three labelled', 'One imported'];
    for (const title of titles) {
      expect(await turn('undo')).toBe(title);
      states.push(await read());
    }
    expect(states.at(-1)).toEqual([`${first} ${first} ${first}`, first]);
    for (let round = 0; round < 2; round += 1) {
      for (const [at, title] of [...titles.entries()].reverse()) {
        expect(await turn('redo')).toBe(title);
        expect(await read()).toEqual(states[at]);
      }
      expect(await turn('redo')).toBeNull();
      for (const [at, title] of titles.entries()) {
        expect(await turn('undo')).toBe(title);
        expect(await read()).toEqual(states[at + 1]);
      }
    }
  });

  it('leave the earlier ones when the server can take them back no more', async () => {
    const { page, typeId, options, rows, labels, db } = await open();
    const [first, second] = options;
    const [example] = await rows();
    if (!example) throw new Error('no example');
    page.acts.label(typeId, example, { expected_decision: second }, 'Labelled');
    await page.acts.bulk(typeId, [{ ids: [example.id], action: 'delete' }], 'Deleted', 1);
    await page.acts.undo(typeId);
    await page.acts.redo(typeId);
    db.prepare('DELETE FROM example_undos').run();
    await expect(page.acts.undo(typeId)).rejects.toThrow('This change cannot be undone any more.');
    expect((await page.acts.undo(typeId))?.title).toBe('Labelled');
    expect(await labels()).toEqual([first, first]);
  });
});
