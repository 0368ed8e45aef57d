/** Imports of many rows: they are put in part by part, nobody waits for them or sees a part, and none is left by a kill. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployForAll, loanExamples, loanType } from '../../server/workbench.ts';
import { callAlone, type ServerProcess, startServerProcess } from '../tools/server-process.ts';

const rowsOfImport = 20_000;
/** For how long a decision computes on the thread that answers, together with what runs there beside it. */
const maxHeldMs = 150;

const folder = deployForAll(loanType, loanExamples(40));
let server: ServerProcess;
let rowsBefore: number;
beforeAll(async () => {
  server = await startServerProcess(folder.dataDir);
  rowsBefore = readCounts().examples;
});
afterAll(async () => {
  await server.end();
});

const call = (method: string, url: string, body?: unknown) =>
  callAlone(server.port, method, url, `Bearer ${folder.key}`, body);

const rows = Array.from(
  { length: rowsOfImport },
  (_, n) => `${n},a note about case ${n},${n % 2 === 0 ? 'approve' : 'decline'}`,
);
const importRows = () =>
  call('POST', `${folder.url}/examples/import`, {
    format: 'csv',
    content: ['amount,note,decision', ...rows].join('\n'),
    commit: true,
  });

/** Numbers that the data file says of the examples, whoever has it open. */
function readCounts(): { examples: number; parts: number } {
  const db = new Database(path.join(folder.dataDir, 'workbench.db'), { readonly: true });
  const count = (table: string) => Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  const counts = { examples: count('examples'), parts: count('unfinished_example_parts') };
  db.close();
  return counts;
}

async function untilParts(parts: number): Promise<void> {
  for (const endMs = performance.now() + 100_000; readCounts().parts < parts; await wait(2)) {
    if (performance.now() > endMs) throw new Error('No part of the import came.');
  }
}

function readHeldMs(): number {
  const { pid } = server.child;
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

describe.skipIf(process.platform !== 'linux')(`an import of ${rowsOfImport} rows`, () => {
  it('P5: leaves nothing where the program is killed in its middle [EXA-13]', async () => {
    const killed = importRows().catch((error: unknown) => error);
    await untilParts(5);
    await server.end('SIGKILL');
    expect(await killed).toBeInstanceOf(Error);
    const { examples, parts } = readCounts();
    expect(parts).toBeGreaterThan(0);
    expect(examples).toBeLessThan(rowsBefore + rowsOfImport);

    server = await startServerProcess(folder.dataDir);
    expect(readCounts()).toEqual({ examples: rowsBefore, parts: 0 });
  });

  it('P9: lets decisions go on, and shows its rows all at once [EXA-13]', async () => {
    let isDone = false;
    const importing = importRows().finally(() => {
      isDone = true;
    });
    const heldMs: number[] = [];
    const decide = async () => {
      while (!isDone) {
        const before = readHeldMs();
        const input = { applicant: { score: 700 }, amount: 2_000 };
        expect((await call('POST', '/api/v1/decide', { decision_type: 'loan', input })).status).toBe(200);
        heldMs.push(readHeldMs() - before);
      }
    };
    const look = async () => {
      await untilParts(3);
      const [listed, stats] = await Promise.all([
        call('GET', `${folder.url}/logs`),
        call('GET', `${folder.url}/examples/stats`),
      ]);
      expect(listed.status).toBe(200);
      return stats.body.total;
    };
    const [imported, total] = await Promise.all([importing, look(), decide()]);
    expect([imported.status, imported.body.examples]).toEqual([200, rowsOfImport]);
    expect(total).toBe(rowsBefore + rowsOfImport);
    expect(readCounts()).toEqual({ examples: rowsBefore + rowsOfImport, parts: 0 });
    process.stdout.write(`${heldMs.length} decisions, the slowest held ${Math.max(...heldMs).toFixed(0)} ms\n`);
    expect(heldMs.length).toBeGreaterThan(10);
    expect(Math.max(...heldMs)).toBeLessThan(maxHeldMs);
  });

  it('P5: of a held file leaves neither rows nor their type where the program is killed before or in its commit [FIL-9]', async () => {
    const send = async () => {
      const form = new FormData();
      form.set('file', new File([['amount,note,label', ...rows].join('\n')], 'half.csv'));
      form.set('name', 'half');
      const url = `http://127.0.0.1:${server.port}/api/v1/imports`;
      const headers = { authorization: `Bearer ${folder.key}` };
      const begun = await fetch(url, { method: 'POST', headers, body: form });
      const { id } = (await begun.json()) as { id: string };
      return () => call('POST', `/api/v1/imports/${id}/commit`, {});
    };
    const before = readCounts();
    const restart = async () => {
      await server.end('SIGKILL');
      server = await startServerProcess(folder.dataDir);
      const { items } = (await call('GET', '/api/v1/decision-types')).body;
      return [readCounts(), items.map(({ name }: { name: string }) => name)];
    };
    await send();
    expect(await restart()).toEqual([before, ['loan']]);

    const commit = await send();
    const killed = commit().catch((error: unknown) => error);
    await untilParts(5);
    const restarted = await restart();
    expect(await killed).toBeInstanceOf(Error);
    expect(restarted).toEqual([before, ['loan']]);
    expect((await (await send())()).body.examples).toBe(rowsOfImport);
  });
});
