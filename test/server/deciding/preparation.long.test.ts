/** Large calls and the processes that work on them. */
import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Admission, admissionLimits } from '../../../src/server/preparation/admission.ts';
import { Preparation } from '../../../src/server/preparation/preparation.ts';
import { spawnChild } from '../../../src/server/process/spawn-child.ts';
import { makeType, openForAll, openForTest } from '../workbench.ts';

const mebibyte = 1024 * 1024;
const rules = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    name: `r${index}`,
    condition: `ctx.text.matches("${Array.from({ length: 150 }, (_, word) => `w${word}`).join('|')}${index}")`,
    then: 'yes',
    reason_code: null,
    priority: 100,
  }));
const toCheck = (count: number) => ({
  rules: rules(count),
  options: ['yes', 'no'],
  reason_codes: [],
  lists: {},
  input_schema: null,
});

function openPreparation(limits: ConstructorParameters<typeof Preparation>[1]): Preparation {
  const preparation = new Preparation(spawnChild, limits);
  onTestFinished(() => preparation.close());
  return preparation;
}

describe('a task in a process of its own', () => {
  const bench = openForAll();
  /** The rows of a file are compared with the examples of a type, of which there are none. */
  const toMerge = () => ({ databaseFile: path.join(bench.dataDir, 'workbench.db'), piiFields: [] });

  it('ends at its time limit with a 503 that names it [LRG-3]', async () => {
    const preparation = openPreparation({ taskMs: 100, maxChildren: 1 });
    const content = JSON.stringify(Array.from({ length: 200_000 }, (_, n) => ({ a: n, b: n, c: n, d: n })));
    const order = {
      request: { format: 'json' as const, content, commit: true, on_conflict: 'refuse' as const },
      type: exampleType,
      merge: toMerge(),
      nowMs: 0,
    };
    const ended = { code: 'unavailable', message: expect.stringContaining('0.1 s') };
    await expect(preparation.run('a', 'readImport', order)).rejects.toMatchObject(ended);
  });

  it.skipIf(process.platform !== 'linux')(
    'has its time of the processor, not of a machine that is busy [LRG-3]',
    async () => {
      const taskMs = 5_000;
      const spawnStopped: typeof spawnChild = (name, options) => {
        const child = spawnChild(name, options);
        child.kill('SIGSTOP');
        setTimeout(() => child.kill('SIGCONT'), 1.2 * taskMs);
        return child;
      };
      const preparation = new Preparation(spawnStopped, { taskMs });
      onTestFinished(() => preparation.close());
      expect(await preparation.run('a', 'checkRules', toCheck(1))).toMatchObject({ ok: true });
    },
  );

  it('is refused as too large where it outgrows its memory, and others are not disturbed [LRG-3]', async () => {
    const preparation = openPreparation({ heapMb: 48, maxChildren: 2 });
    const content = JSON.stringify(Array.from({ length: 300_000 }, (_, n) => ({ n, label: `text ${n}` })));
    const order = {
      request: { format: 'json' as const, content, commit: true, on_conflict: 'refuse' as const },
      type: exampleType,
      merge: toMerge(),
      nowMs: 0,
    };
    const [large, small] = await Promise.allSettled([
      preparation.run('a', 'readImport', order),
      preparation.run('b', 'checkRules', toCheck(1)),
    ]);
    expect(large).toMatchObject({ reason: { code: 'validation_error', details: [{ loc: ['body'] }] } });
    expect(small).toMatchObject({ status: 'fulfilled', value: { ok: true } });
  });

  it('gets a new process when the one before was ended for having nothing to do', async () => {
    const children: ChildProcess[] = [];
    const preparation = new Preparation(
      (name, options) => {
        const child = spawnChild(name, options);
        children.push(child);
        return child;
      },
      { idleMs: 1 },
    );
    onTestFinished(() => preparation.close());
    expect(await preparation.run('a', 'checkRules', toCheck(1))).toMatchObject({ ok: true });
    await expect.poll(() => children[0]?.killed, { timeout: 600_000 }).toBe(true);
    expect(await preparation.run('a', 'checkRules', toCheck(1))).toMatchObject({ ok: true });
    expect(children).toHaveLength(2);
  });

  it('is refused with the reason where no process can be made, and the next one is worked on [LRG-3]', async () => {
    let isBroken = true;
    const preparation = new Preparation((name, options) => {
      if (isBroken) throw new Error('no more processes');
      return spawnChild(name, options);
    });
    onTestFinished(() => preparation.close());
    const refusal = { code: 'unavailable', message: expect.stringContaining('no more processes') };
    await expect(preparation.run('a', 'checkRules', toCheck(1))).rejects.toMatchObject(refusal);
    isBroken = false;
    expect(await preparation.run('a', 'checkRules', toCheck(1))).toMatchObject({ ok: true });
  });

  it('of a caller who had no turn yet comes before the next of one who had', async () => {
    const preparation = openPreparation({ maxChildren: 1 });
    const ended: string[] = [];
    const note = (name: string) => () => ended.push(name);
    await Promise.all([
      preparation.run('busy', 'checkRules', toCheck(60)).then(note('first of busy')),
      preparation.run('busy', 'checkRules', toCheck(1)).then(note('second of busy')),
      preparation.run('other', 'checkRules', toCheck(1)).then(note('other')),
    ]);
    expect(ended).toEqual(['first of busy', 'other', 'second of busy']);
  });

  it('does not wait for the files of others, whatever these hold [LRG-5]', async () => {
    const children: ChildProcess[] = [];
    const spawn: typeof spawnChild = (name, options) => {
      const child = spawnChild(name, options);
      children.push(child);
      // Who reads the first file stands still until all that does not wait for it is done.
      if (children.length === 1) child.kill('SIGSTOP');
      return child;
    };
    const preparation = new Preparation(spawn, { maxChildren: 3 });
    onTestFinished(() => preparation.close());
    const ended: string[] = [];
    const note = (name: string) => () => ended.push(name);
    const readFile = (caller: string, rows: number) => {
      const content = JSON.stringify(Array.from({ length: rows }, (_, n) => ({ a: n, b: n, c: n, d: n })));
      const order = {
        request: { format: 'json' as const, content, commit: true, on_conflict: 'refuse' as const },
        type: exampleType,
        merge: toMerge(),
        nowMs: 0,
      };
      return preparation.run(caller, 'readImport', order);
    };
    const hostile = Array.from({ length: 6 }, () => readFile('hostile', 3_000).then(note('hostile')));
    const body = Buffer.from(JSON.stringify({ decisions: [] }));
    await Promise.all([
      readFile('owner', 10).then(note('file')),
      preparation.run('owner', 'checkRules', toCheck(1)).then(note('rules')),
      preparation.run('owner', 'checkBody', { bytes: body, operation: null }).then(note('body')),
    ]);
    expect(ended.toSorted()).toEqual(['body', 'file', 'rules']);
    children[0]?.kill('SIGCONT');
    await Promise.all(hostile);
    expect(ended).toHaveLength(9);
  });
});

const exampleType = { id: 'type', definition: { options: ['yes', 'no'], reason_codes: [], readings: {} } };

describe('room for large calls', () => {
  it('is bounded for each caller and for all, and comes back when a call is answered [LRG-2]', () => {
    const admission = new Admission();
    const leave = Array.from({ length: 4 }, () => admission.enter('a', 16 * mebibyte));
    expect(() => admission.enter('a', 16 * mebibyte)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
    for (const other of ['b', 'c']) {
      for (let taken = 0; taken < 3; taken += 1) admission.enter(other, 16 * mebibyte);
    }
    expect(10 * 16 * mebibyte).toBe(admissionLimits.allBytes);
    expect(() => admission.enter('d', 16 * mebibyte)).toThrow(expect.objectContaining({ code: 'unavailable' }));
    leave[0]?.();
    leave[0]?.();
    expect(() => admission.enter('d', 16 * mebibyte)).not.toThrow();
    expect(() => admission.enter('d', 16 * mebibyte)).toThrow(expect.objectContaining({ code: 'unavailable' }));
  });
});

describe('a large body', () => {
  const large = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ input: { n, text: `Grüße ${n} ${'x'.repeat(60)}` }, decision: 'yes' }));

  it('of examples is stored and answered as a small one [EXA-1] [LRG-1]', async () => {
    const { call } = await openForTest();
    const url = `/api/v1/decision-types/${await makeType(call)}/examples`;
    const small = await call('POST', url, { examples: large(2) });
    const added = await call('POST', url, { examples: large(5_000) });
    expect([small.status, added.status]).toEqual([201, 201]);
    expect(added.headers['content-type']).toBe(small.headers['content-type']);
    expect(Object.keys(added.body[0])).toEqual(Object.keys(small.body[0]));
    const newest = await call('GET', `${url}?page_size=2`);
    expect(newest.body.total).toBe(5_002);
    expect(newest.body.items).toEqual([added.body[4_999], added.body[4_998]]);
  });

  it('is refused with the places of its problems, and nothing is stored [ERR-2] [ERR-3]', async () => {
    const { call } = await openForTest();
    const url = `/api/v1/decision-types/${await makeType(call)}/examples`;
    const wrong = await call('POST', url, { examples: [...large(3_000), { input: {}, decision: 'maybe' }] });
    expect(wrong).toMatchObject({
      status: 422,
      body: { error: { details: [{ loc: ['body', 'examples', 3_000, 'decision'] }] } },
    });
    const twice = `{"examples":[{"input":{"a":1,"a":"${'x'.repeat(200_000)}"}}]}`;
    expect((await call('POST', url, twice)).body.error.message).toContain('"a" twice');
    const strange = { name: 'x'.repeat(200_000), options: ['yes', 'no'], other: 1 };
    const places = (await call('POST', '/api/v1/decision-types', strange)).body.error.details;
    expect(places.map(({ loc }: { loc: unknown }) => loc)).toEqual([
      ['body', 'name'],
      ['body', 'other'],
    ]);
    expect((await call('GET', url)).body.total).toBe(0);
  });

  it('of a tool call is read as strictly [MCP-2]', async () => {
    const { call } = await openForTest();
    const message = { jsonrpc: '2.0', id: 1, method: 'ping', params: { x: 'y'.repeat(200_000) } };
    const twice = JSON.stringify(message).replace('"jsonrpc"', '"id":1,"jsonrpc"');
    const headers = { accept: 'application/json, text/event-stream' };
    expect((await call('POST', '/mcp', twice, headers)).body.error.message).toContain('"id" twice');
    expect((await call('POST', '/mcp', JSON.stringify(message), headers)).status).toBe(200);
  });

  it('of an import is absent as a whole when its process is killed, and the next one is read [EXA-13] [LRG-3]', async () => {
    const children: ChildProcess[] = [];
    const { call } = await openForTest({
      spawnChild(name, options) {
        const child = spawnChild(name, options);
        if (name === 'preparation-child') children.push(child);
        return child;
      },
    });
    const url = `/api/v1/decision-types/${await makeType(call)}/examples`;
    const content = `n,decision\n${Array.from({ length: 100_000 }, (_, n) => `${n},yes\n`).join('')}`;
    const importing = call('POST', `${url}/import`, { format: 'csv', content, commit: true });
    await expect.poll(() => children.length, { timeout: 600_000 }).toBe(1);
    children[0]?.kill('SIGKILL');
    expect(await importing).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect((await call('GET', `${url}/stats`)).body.total).toBe(0);
    expect((await call('POST', `${url}/import`, { format: 'csv', content, commit: true })).status).toBe(200);
    expect((await call('GET', `${url}/stats`)).body.by_option).toEqual({ yes: 100_000, no: 0 });
  });
});
