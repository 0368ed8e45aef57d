/** Large answers and large imports beside everything else: nobody waits for them. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { applyRetention } from '../../../src/server/services/upkeep/housekeeping.ts';
import { prepareLogInsert } from '../../../src/server/store/deciding/log-writer.ts';
import { usualDecision } from '../usual-decision.ts';
import { makeType, openForTest } from '../workbench.ts';

const types = '/api/v1/decision-types';
const rows = 20_000;
/** So that no buffer between the server and a client that does not read holds the whole export. */
const note = 'x'.repeat(2_000);

async function openWithLogs() {
  const opened = await openForTest({ synchronous: 'NORMAL' });
  const id = await makeType(opened.call);
  const insert = prepareLogInsert(opened.deps.db);
  const add = (count: number, from: number) =>
    opened.deps.store.transaction(() => {
      for (let index = from; index < from + count; index += 1) {
        insert({
          ...usualDecision,
          requestId: `r${index}`,
          input: { index, note },
          createdAt: opened.deps.clock.now(),
        });
      }
    });
  add(rows, 0);
  return { ...opened, add, path: `${types}/${id}` };
}

describe('an export that is read slowly', () => {
  it('holds up nobody, takes no lock, and has the records of its beginning', async () => {
    const { app, deps, call, token, add, path } = await openWithLogs();
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const headers = { authorization: `Bearer ${token}` };
    const request = get({ port, path: `${path}/logs/export?format=csv`, headers, host: '127.0.0.1' });
    const [slow] = (await once(request, 'response')) as [IncomingMessage];
    expect(slow.statusCode).toBe(200);

    // nothing is read, and all of this goes on: writing, reading, deleting old records, moving the log into the file
    add(100, rows);
    const host = { host: `127.0.0.1:${port}` };
    const another = { name: 'another', options: ['yes', 'no'] };
    expect((await call('POST', types, another, host)).status).toBe(201);
    expect((await call('GET', `${path}/logs`, undefined, host)).body.total).toBe(rows + 100);
    expect(await applyRetention(deps)).toBe(0);
    const [checkpoint] = deps.db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    expect([deps.db.inTransaction, checkpoint?.busy]).toEqual([false, 0]);

    let text = '';
    for await (const part of slow) text += String(part);
    const seen = text.trimEnd().split('\r\n').slice(1);
    expect(seen).toHaveLength(rows);
    expect(seen[0]).toContain(`,r${rows - 1},`);
    expect(seen.at(-1)).toContain(',r0,');
  });

  it('ends when its reader goes away', async () => {
    const { app, token, path } = await openWithLogs();
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const headers = { authorization: `Bearer ${token}` };
    const request = get({ port, path: `${path}/logs/export`, headers, host: '127.0.0.1' });
    const [slow] = (await once(request, 'response')) as [IncomingMessage];
    slow.destroy();
    // the listener closes only when no answer is under way any more
    await app.close();
    expect(app.server.listening).toBe(false);
  });
});

describe('an import of many examples', () => {
  it('lets other calls have their turn, and is there whole or not at all', async () => {
    const { call } = await openForTest({ synchronous: 'NORMAL' });
    const path = `${types}/${await makeType(call)}/examples`;
    const lines = Array.from({ length: 20_000 }, (_, index) => `${index},${index % 2 === 0 ? 'yes' : 'no'}`);
    const importing = (content: string) => call('POST', `${path}/import`, { format: 'csv', content, commit: true });
    let done = false;
    const imported = importing(`amount,decision\n${lines.join('\n')}\n`).finally(() => {
      done = true;
    });
    const totals: number[] = [];
    while (!done) {
      totals.push((await call('GET', `${path}/stats`)).body.total);
      // a call that is injected never waits for the network
      await nextTurn();
    }
    expect((await imported).body).toMatchObject({
      committed: true,
      examples: 20_000,
      labelled: 20_000,
      new_options: [],
    });
    expect(totals.filter((total) => total !== 0 && total !== 20_000)).toEqual([]);
    expect(totals.filter((total) => total === 0).length).toBeGreaterThan(5);

    const refused = await importing(`amount,decision\n${lines.join('\n')}\n1,maybe\n`);
    expect([refused.status, refused.body.error.details]).toMatchObject([
      422,
      [{ loc: ['body', 'content', 20_002, 'decision'] }],
    ]);
    expect((await call('GET', `${path}/stats`)).body).toMatchObject({
      total: 20_000,
      by_option: { yes: 10_000, no: 10_000 },
    });
  });
});
