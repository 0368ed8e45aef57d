/** Changes of more examples than one part holds: others go on meanwhile, nobody sees half of one, and a kill ends none. */
import { expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/server/process/clock.ts';
import { rowsPerPart } from '../../../src/server/store/examples/example-changes.ts';
import { ExampleRowWriter } from '../../../src/server/store/examples/examples.ts';
import { startWorkbench, temporaryFolder, type Workbench } from '../workbench.ts';

const count = 3 * rowsPerPart + 7;
/** Half a second passes within one part. */
const hastyClock: Clock = { ...systemClock, monotonic: () => performance.now() * 1_000 };

async function openLarge(count: number, clock = systemClock) {
  const dataDir = temporaryFolder();
  let workbench: Workbench = await startWorkbench(dataDir, {}, undefined, clock);
  onTestFinished(() => workbench.stop());
  const { call, deps } = workbench;
  const { id } = (await call('POST', '/decision-types', { name: 'refunds', options: ['yes', 'no', 'never'] })).body;
  const rows = new ExampleRowWriter(id, deps.clock.now());
  for (let n = 0; n < count; n += 1) rows.add({ id: deps.newId(), input: { n }, decision: n % 2 === 0 ? 'yes' : 'no' });
  await deps.exampleAdditions.add(rows.finish(), () => undefined);
  const url = `/decision-types/${id}`;
  return {
    id,
    url,
    call: (...call: Parameters<Workbench['call']>) => workbench.call(...call),
    /** Begins a call and waits until somebody who listens hears how far it is; `next` is what they hear then. */
    async beginTold(...order: Parameters<Workbench['call']>) {
      const organisationId = workbench.deps.store.decisionTypes.find(id)?.organisationId ?? '';
      const stream = workbench.deps.events.open(organisationId, 'a window');
      onTestFinished(() => void stream.destroy());
      const chunks = stream[Symbol.asyncIterator]();
      const next = async (): Promise<string> => {
        const { value, done } = await chunks.next();
        if (done) throw new Error('The stream has ended.');
        const text = String(value);
        return text.includes('event: progress') ? text : next();
      };
      const answer = workbench.call(...order);
      return { answer, first: await next(), next };
    },
    readStats: async () => (await workbench.call('GET', `${url}/examples/stats`)).body,
    /** Does the first parts of what a call begins, as if the program was killed then, and starts it again. */
    async killWithin(begin: (store: Workbench['deps']['store']) => void, parts = 2): Promise<void> {
      const { store } = workbench.deps;
      store.transaction(() => begin(store));
      for (let part = 0; part < parts; part += 1) store.transaction(() => store.exampleChanges.goOn(id));
      await workbench.stop();
      workbench = await startWorkbench(dataDir);
    },
  };
}

it('a change of many rows is whole for whoever asks meanwhile, and undone as one', async () => {
  const { url, call, readStats } = await openLarge(count);
  const order = { action: 'set_status', status: 'flagged', filter: {} };
  const changing = call('POST', `${url}/examples/bulk`, order);
  const seen = new Set<number>();
  for (let ask = 0; ask < 20; ask += 1) seen.add((await readStats()).by_queue.flagged);
  const changed = await changing;
  expect(changed.body).toMatchObject({ affected: count });
  expect([...seen, 0, count].toSorted((one, other) => one - other).filter((n) => n > 0 && n < count)).toEqual([]);
  expect((await readStats()).by_queue.flagged).toBe(count);
  const undone = await call('POST', `${url}/examples/undo`, { undo_token: changed.body.undo_token });
  expect(undone.body).toEqual({ affected: count });
  expect((await readStats()).by_queue.flagged).toBe(0);
  const again = await call('POST', `${url}/examples/undo`, { undo_token: changed.body.undo_token });
  expect(again.status).toBe(409);
});

it('a deletion of many rows and its undo are whole after a kill in the middle', async () => {
  const { id, url, call, readStats, killWithin } = await openLarge(count);
  const before = (await call('GET', `${url}/examples?page=2`)).body;
  await killWithin(({ exampleChanges }) => {
    const plan = { selection: { filter: { decision: 'yes' } }, change: 'delete', reader: null } as const;
    exampleChanges.begin({ token: 't', typeId: id, at: 1, plan, option: null });
  });
  expect((await readStats()).by_option).toEqual({ yes: 0, no: Math.floor(count / 2), never: 0 });
  await killWithin(({ exampleChanges }) => exampleChanges.turnBack('t', null), 1);
  expect((await readStats()).total).toBe(count);
  expect((await call('GET', `${url}/examples?page=2`)).body).toEqual(before);
  expect((await call('POST', `${url}/examples/undo`, { undo_token: 't' })).status).toBe(409);
});

it('an option is renamed, merged and taken back everywhere, also where the program is killed meanwhile [OPT-1]', async () => {
  const { id, url, call, readStats, killWithin } = await openLarge(count);
  const renamed = await call('POST', `${url}/options/rename`, { from: 'yes', to: 'sure', commit: true });
  expect(renamed.body.touches.examples).toBe(Math.ceil(count / 2));
  expect((await readStats()).by_option).toEqual({ sure: Math.ceil(count / 2), no: Math.floor(count / 2), never: 0 });
  const merged = await call('POST', `${url}/options/merge`, { from: 'no', into: 'never', commit: true });
  expect((await readStats()).by_option).toEqual({ sure: Math.ceil(count / 2), never: Math.floor(count / 2) });
  const undo = (answer: typeof merged) => call('POST', `${url}/options/undo`, { undo_token: answer.body.undo_token });
  expect((await undo(merged)).body.affected).toBe(Math.floor(count / 2));
  const again = await call('POST', `${url}/options/rename`, { from: 'no', to: 'nope', commit: true });
  await killWithin(({ exampleChanges }) => exampleChanges.turnBack(again.body.undo_token, null), 3);
  expect((await readStats()).by_option.no).toBe(Math.floor(count / 2));
  expect(id).toBeDefined();
});

it('a change of many rows says how far it is, and what is cancelled was never made [OPT-1]', async () => {
  const many = 30 * rowsPerPart;
  const { url, call, readStats, beginTold } = await openLarge(many, hastyClock);
  const before = [await readStats(), (await call('GET', url)).body.active_version.options];
  const read = async () => [await readStats(), (await call('GET', url)).body.active_version.options];
  const cancel = () => call('DELETE', `${url}/examples/change`);
  expect((await cancel()).body.error.message).toBe('No change of many examples is under way.');
  const changes = [
    ['examples/bulk', { action: 'set_status', status: 'flagged', filter: {} }],
    ['examples/bulk', { action: 'delete', filter: { decision: 'yes' } }],
    ['examples/second-readings', { share: 0.3 }],
    ['options/rename', { from: 'yes', to: 'sure', commit: true }],
    ['options/delete', { option: 'no', examples: 'delete', commit: true }],
  ] as const;
  for (const [path, order] of changes) {
    const { answer, first, next } = await beginTold('POST', `${url}/${path}`, order);
    expect(first).toMatch(/"share":0\.\d+,"cancellable":true/);
    expect((await cancel()).status).toBe(204);
    expect((await answer).body.error.message).toBe('The change was cancelled; nothing was changed.');
    expect(await next()).toContain('"share":null');
    expect(await read()).toEqual(before);
  }
});

it('an undo of many rows says how far it is and goes on to its end', async () => {
  const { url, call, readStats, beginTold } = await openLarge(10 * rowsPerPart, hastyClock);
  const { body } = await call('POST', `${url}/examples/bulk`, { action: 'delete', filter: {} });
  const { answer, first } = await beginTold('POST', `${url}/examples/undo`, { undo_token: body.undo_token });
  expect(first).toContain('"cancellable":false');
  expect((await call('DELETE', `${url}/examples/change`)).body.error.message).toMatch(/^An undo goes on to its end/);
  expect((await answer).status).toBe(200);
  expect((await readStats()).total).toBe(10 * rowsPerPart);
});
