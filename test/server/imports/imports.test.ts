/** Imports under way: whole once they are committed, and nothing of them before or otherwise. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startChoices } from '../../../src/engine/import/planning/import-choices.ts';
import { type FileImport, Imports } from '../../../src/server/services/examples/imports/imports.ts';
import { removeExpiredTypes } from '../../../src/server/services/upkeep/housekeeping.ts';
import { makeType, openForTest, sendForm } from '../workbench.ts';

const toRow = (index: number) => `case ${index} ${'word '.repeat(40)},${index % 2 === 0 ? 'yes' : 'no'}`;
const toFile = (count: number) => {
  const lines = ['text,label', ...Array.from({ length: count }, (_, index) => toRow(index))];
  return new File([lines.join('\n')], 'triage.csv');
};

async function openForImport(dataDir?: string) {
  const bench = await openForTest(dataDir === undefined ? {} : { dataDir });
  const { call, deps } = bench;
  const count = (table: string) => Number(deps.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  return {
    ...bench,
    begin: async (rows: number, fields: Record<string, string> = { name: 'triage' }): Promise<string> =>
      (await sendForm(call, '/api/v1/imports', toFile(rows), fields)).body.id,
    commit: (id: string, headers = {}) => call('POST', `/api/v1/imports/${id}/commit`, {}, headers),
    list: async () => (await call('GET', '/api/v1/decision-types')).body.items,
    countRows: () => ({ examples: count('examples'), parts: count('unfinished_example_parts') }),
    listUploads: () => readdirSync(path.join(bench.dataDir, 'imports')),
  };
}

/** An import of a file of so many bytes, which is not read here. */
const holdFile = (id: string, callerId: string, mebibytes: number): FileImport => ({
  id,
  callerId,
  startedAt: 0,
  upload: {
    path: '',
    contentType: '',
    bytes: mebibytes * 1024 * 1024,
    signal: new AbortController().signal,
    remove: () => Promise.resolve(),
  } as FileImport['upload'],
  fileName: '',
  typeId: null,
  name: undefined,
  choices: startChoices({}),
  progress: null,
  isCommitting: false,
  cancelling: new AbortController(),
  turn: Promise.resolve(),
  release: () => undefined,
});

describe('an import', () => {
  it('counts for nothing before it is committed, nor after a restart [FIL-9]', async () => {
    const { begin, list, countRows, close, dataDir } = await openForImport();
    const id = await begin(100);
    expect([await list(), countRows()]).toEqual([[], { examples: 0, parts: 0 }]);
    await close();
    const again = await openForImport(dataDir);
    expect([await again.list(), again.countRows()]).toEqual([[], { examples: 0, parts: 0 }]);
    const gone = await again.commit(id);
    expect([gone.status, gone.body.error.message]).toEqual([
      404,
      expect.stringMatching(/restarted\. Begin it again\.$/),
    ]);
  });

  it('says that it takes a form with a file, where it is sent anything else', async () => {
    const { call } = await openForImport();
    for (const body of [{ name: 'triage', options: ['yes', 'no'] }, {}]) {
      const refused = await call('POST', '/api/v1/imports', body);
      expect([refused.status, refused.body.error.details]).toEqual([
        422,
        [{ type: 'missing', loc: ['body', 'file'], msg: 'send a form (multipart/form-data) with a file' }],
      ]);
    }
  });

  it('adds its rows to a type that gained an option meanwhile [FIL-9]', async () => {
    const { begin, commit, call } = await openForImport();
    const typeId = await makeType(call);
    const url = `/api/v1/decision-types/${typeId}`;
    const id = await begin(4, { decision_type_id: typeId });
    await call('PUT', url, { options: ['yes', 'no', 'perhaps'] });
    expect((await commit(id)).body).toMatchObject({ examples: 4 });
    expect((await call('GET', `${url}/examples/stats`)).body.total).toBe(4);
  });

  it('counts once where two calls commit it at the same moment [FIL-9]', async () => {
    const { call, begin, commit, countRows } = await openForImport();
    const id = await begin(20, { decision_type_id: await makeType(call) });
    const answers = await Promise.all([commit(id), commit(id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect(countRows().examples).toBe(20);
  });

  it('counts beside others into the same type that bring it no names either [FIL-9]', async () => {
    const { call, begin, commit, countRows } = await openForImport();
    const type = await makeType(call);
    const tag = async () => (await call('GET', `/api/v1/decision-types/${type}`)).headers['etag'];
    const first = await begin(10, { decision_type_id: type });
    expect((await commit(first)).status).toBe(200);
    const before = await tag();
    const others = await Promise.all([20, 30, 40].map((rows) => begin(rows, { decision_type_id: type })));
    const answers = await Promise.all(others.map((id) => commit(id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect([await tag(), countRows().examples]).toEqual([before, 100]);
  });

  it('is answered as the first time when its commit is sent again, also after a restart [FIL-10]', async () => {
    const { begin, commit, call, close, dataDir } = await openForImport();
    const id = await begin(20);
    const key = { 'idempotency-key': id };
    const first = await commit(id, key);
    expect([first.status, first.body.examples]).toEqual([200, 20]);
    expect((await commit(id, key)).text).toBe(first.text);
    expect((await commit(id)).status).toBe(404);
    const stats = `/api/v1/decision-types/${first.body.decision_type.id}/examples/stats`;
    expect((await call('GET', stats)).body.total).toBe(20);
    await close();
    const again = await openForImport(dataDir);
    expect((await again.commit(id, key)).text).toBe(first.text);
    expect((await again.call('GET', stats)).body.total).toBe(20);
  });

  it('leaves nothing where it is cancelled while it is written [FIL-9]', async () => {
    const { begin, commit, call, list, deps, countRows, listUploads } = await openForImport();
    const id = await begin(6_000);
    const committing = commit(id);
    await expect.poll(() => countRows().parts, { interval: 1 }).toBeGreaterThan(0);
    // What cleans deleted types up leaves the one alone that is being written.
    const upkeep = { ...deps, artifactsDir: '' };
    expect(await removeExpiredTypes(upkeep)).toBe(0);
    expect([await list(), (await call('DELETE', `/api/v1/imports/${id}`)).status]).toEqual([[], 204]);
    expect((await committing).body.error).toMatchObject({ code: 'conflict', message: 'The import was cancelled.' });
    expect([await list(), countRows()]).toEqual([[], { examples: 0, parts: 0 }]);
    expect(await removeExpiredTypes(upkeep)).toBe(1);
    await expect.poll(listUploads).toEqual([]);
    expect(await begin(3)).toEqual(expect.any(String));
  });

  it('ends where nobody goes on with it [FIL-9]', async () => {
    const imports = new Imports(20);
    const left = holdFile('left', 'anybody', 1);
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
      const begun = holdFile(id, callerId, mebibytes);
      imports.add(begun);
      return begun;
    };
    const listEnded = (...begun: FileImport[]) =>
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
