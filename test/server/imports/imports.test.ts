/** Imports in parts: whole once they are committed, and nothing of them before or otherwise. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { Imports, type OpenImport } from '../../../src/server/services/examples/imports/imports.ts';
import { removeExpiredTypes } from '../../../src/server/services/upkeep/housekeeping.ts';
import { callerOf, makeType, openForTest } from '../workbench.ts';

const toRows = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    input: { text: `case ${from + index} ${'word '.repeat(40)}` },
    decision: index % 2 === 0 ? 'yes' : 'no',
    reason_codes: ['RUSH'],
  }));
const newType = { name: 'triage', options: ['yes', 'no'], reason_codes: ['RUSH'] };
/** More than the thread that answers reads itself. */
const rowsOfPart = 1_200;

async function openForImport(dataDir?: string) {
  const bench = await openForTest(dataDir === undefined ? {} : { dataDir });
  const { call, deps } = bench;
  const count = (table: string) => Number(deps.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  return {
    ...bench,
    begin: async (plan: object): Promise<string> => (await call('POST', '/api/v1/imports', plan)).body.id,
    send: (id: string, part: number, examples: object[]) =>
      call('PUT', `/api/v1/imports/${id}/parts/${part}`, { examples }),
    commit: (id: string, parts: number, headers = {}) =>
      call('POST', `/api/v1/imports/${id}/commit`, { parts }, headers),
    list: async () => (await call('GET', '/api/v1/decision-types')).body.items,
    countRows: () => ({ examples: count('examples'), parts: count('unfinished_example_parts') }),
  };
}

const openImport = (id: string, callerId: string): OpenImport => ({
  id,
  callerId,
  startedAt: 0,
  type: { id: '', definition: { options: [], reason_codes: [], readings: {} } },
  begin: () => undefined,
  end: () => {
    throw new Error('This import is never committed.');
  },
  parts: new Map(),
  isCommitting: false,
  cancelling: new AbortController(),
});

describe('an import in parts', () => {
  it('counts for nothing before it is committed, nor after a restart [FIL-9]', async () => {
    const { begin, send, list, countRows, close, dataDir } = await openForImport();
    const id = await begin(newType);
    expect((await send(id, 0, toRows(0, rowsOfPart))).status).toBe(200);
    expect([await list(), countRows()]).toEqual([[], { examples: 0, parts: 0 }]);
    await close();
    const again = await openForImport(dataDir);
    expect([await again.list(), again.countRows()]).toEqual([[], { examples: 0, parts: 0 }]);
    const gone = await again.send(id, 1, toRows(0, 1));
    expect([gone.status, gone.body.error.message]).toEqual([
      404,
      expect.stringMatching(/restarted\. Begin it again\.$/),
    ]);
  });

  it('makes its type with all rows in their order, large parts and small [FIL-9]', async () => {
    const { begin, send, commit, call, list, countRows } = await openForImport();
    const id = await begin(newType);
    expect((await send(id, 1, toRows(rowsOfPart, 3))).body.example_ids).toHaveLength(3);
    expect((await send(id, 0, toRows(0, rowsOfPart))).body.example_ids).toHaveLength(rowsOfPart);
    const done = await commit(id, 2);
    expect(done.body).toMatchObject({ examples: rowsOfPart + 3, decision_type: { name: 'triage' } });
    const [type] = await list();
    expect(type).toEqual(done.body.decision_type);
    const url = `/api/v1/decision-types/${type.id}/examples`;
    expect((await call('GET', `${url}/stats`)).body).toMatchObject({ total: rowsOfPart + 3, by_option: { yes: 602 } });
    const newest = (await call('GET', `${url}?page_size=2`)).body.items;
    const texts = newest.map(({ input_payload }: { input_payload: { text: string } }) => input_payload.text);
    expect(texts.map((text: string) => text.slice(0, 9))).toEqual(['case 1202', 'case 1201']);
    expect(countRows().parts).toBe(0);
  });

  it('adds options and rows to a type at once, as it was when the import began [FIL-9]', async () => {
    const { begin, send, commit, call } = await openForImport();
    const typeId = await makeType(call);
    const url = `/api/v1/decision-types/${typeId}`;
    const example = (decision: string) => [{ input: { text: 'late' }, decision }];
    const id = await begin({ decision_type_id: typeId, options: ['perhaps'] });
    const refused = await send(id, 0, example('never'));
    expect([refused.status, refused.body.error.details[0].loc]).toEqual([422, ['body', 'examples', 0, 'decision']]);
    await send(id, 0, example('perhaps'));
    expect((await call('GET', url)).body.active_version.options).toEqual(['yes', 'no']);
    expect((await commit(id, 1)).body.decision_type.active_version.options).toEqual(['yes', 'no', 'perhaps']);

    const overtaken = await begin({ decision_type_id: typeId });
    await send(overtaken, 0, example('perhaps'));
    await call('PUT', url, { options: ['yes', 'no'] });
    expect((await commit(overtaken, 1)).status).toBe(409);
    expect((await call('GET', `${url}/examples/stats`)).body.total).toBe(1);
  });

  it('is answered as the first time when its commit is sent again, also after a restart [FIL-10]', async () => {
    const { begin, send, commit, call, close, dataDir } = await openForImport();
    const id = await begin(newType);
    await send(id, 0, toRows(0, 5));
    await send(id, 0, toRows(0, 2));
    expect((await commit(id, 2)).body.error).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('1 p'),
    });
    const key = { 'idempotency-key': id };
    const first = await commit(id, 1, key);
    expect([first.status, first.body.examples]).toEqual([200, 2]);
    expect((await commit(id, 1, key)).text).toBe(first.text);
    expect((await commit(id, 1)).status).toBe(404);
    const stats = `/api/v1/decision-types/${first.body.decision_type.id}/examples/stats`;
    expect((await call('GET', stats)).body.total).toBe(2);
    await close();
    const again = await openForImport(dataDir);
    expect((await again.commit(id, 1, key)).text).toBe(first.text);
    expect((await again.call('GET', stats)).body.total).toBe(2);
  });

  it('leaves nothing where it is cancelled while it is written [FIL-9]', async () => {
    const { begin, send, commit, call, list, deps, countRows } = await openForImport();
    const id = await begin(newType);
    for (let part = 0; part < 5; part += 1) await send(id, part, toRows(part * rowsOfPart, rowsOfPart));
    const committing = commit(id, 5);
    await expect.poll(() => countRows().parts, { interval: 1 }).toBeGreaterThan(0);
    // What cleans deleted types up leaves the one alone that is being written.
    const upkeep = { ...deps, artifactsDir: '' };
    expect(await removeExpiredTypes(upkeep)).toBe(0);
    expect([await list(), (await call('DELETE', `/api/v1/imports/${id}`)).status]).toEqual([[], 204]);
    expect((await committing).body.error).toMatchObject({ code: 'conflict', message: 'The import was cancelled.' });
    expect([await list(), countRows()]).toEqual([[], { examples: 0, parts: 0 }]);
    expect(await removeExpiredTypes(upkeep)).toBe(1);
    expect(await begin(newType)).toEqual(expect.any(String));
  });

  it('says before the rows are sent that the name is taken or the options are too few [FIL-9]', async () => {
    const { call } = await openForImport();
    await makeType(call);
    const begin = (plan: object) => call('POST', '/api/v1/imports', plan);
    expect((await begin(newType)).status).toBe(409);
    expect((await begin({ name: 'other', options: ['yes'] })).body.error.details[0].loc).toEqual(['body', 'options']);
    expect((await begin({ options: ['yes', 'no'] })).body.error.details[0].msg).toBe(
      'give either decision_type_id or name',
    );
  });

  it('asks of an API key what its plan changes, and is seen by nobody else [FIL-9]', async () => {
    const { call, app, begin } = await openForImport();
    const makeKey = async (scopes: string[]) => {
      const { key } = (await call('POST', '/api/v1/api-keys', { name: scopes.join(), scopes })).body;
      return callerOf(app, { authorization: `Bearer ${key}` });
    };
    const labels = await makeKey(['read', 'label']);
    const typeId = await makeType(call);
    expect((await labels('POST', '/api/v1/imports', { ...newType, name: 'other' })).status).toBe(403);
    expect((await labels('POST', '/api/v1/imports', { decision_type_id: typeId, options: ['x'] })).status).toBe(403);
    expect((await labels('POST', '/api/v1/imports', { decision_type_id: typeId })).status).toBe(201);
    const id = await begin({ ...newType, name: 'other' });
    expect((await labels('DELETE', `/api/v1/imports/${id}`)).status).toBe(404);
  });

  it('ends where nobody goes on with it [FIL-9]', async () => {
    const imports = new Imports(20);
    const left = openImport('left', 'anybody');
    imports.add(left);
    const reason = await new Promise((end) => {
      left.cancelling.signal.onabort = () => end(left.cancelling.signal.reason);
    });
    expect(reason).toMatchObject({ code: 'conflict' });
  });

  it('gives way to a later one of its caller, and of whoever holds most where all is full [FIL-11]', () => {
    const imports = new Imports();
    onTestFinished(() => imports.close());
    const hold = (id: string, callerId: string, mebibytes: number) => {
      const begun = openImport(id, callerId);
      imports.add(begun);
      const slices = [' '.repeat(mebibytes * 1024 * 1024)];
      imports.keepPart(begun, 0, { decisionTypeId: '', createdAt: 0, count: 1, slices });
      return begun;
    };
    const listEnded = (...begun: OpenImport[]) =>
      begun.filter(({ cancelling }) => cancelling.signal.aborted).map(({ id }) => id);
    const held = ['a1', 'a2', 'a3'].map((id) => hold(id, 'a', 60));
    expect(listEnded(...held)).toEqual(['a1']);
    const others = ['b1', 'b2'].map((id) => hold(id, 'b', 50));
    const owner = hold('owner', 'owner', 70);
    expect(listEnded(...held, ...others, owner)).toEqual(['a1', 'a2']);
    const small = Array.from({ length: 30 }, (_, index) => hold(`c${index}`, 'c', 0));
    expect(listEnded(...small)).toHaveLength(10);
    expect(listEnded(...held, ...others, owner)).toEqual(['a1', 'a2']);
    const committing = hold('d', 'd', 60);
    committing.isCommitting = true;
    expect(() => hold('d2', 'd', 120)).toThrow(expect.objectContaining({ code: 'unavailable' }));
    expect(listEnded(committing)).toEqual([]);
  });
});
