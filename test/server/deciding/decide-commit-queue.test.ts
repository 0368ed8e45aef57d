/** How decisions become durable: many callers, few commits, and nothing half written when the disk is full. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase, readMigrations, type WorkbenchDatabase } from '../../../src/server/store/database.ts';
import { type CommitQueue, createCommitQueue } from '../../../src/server/store/deciding/commit-queue.ts';
import type { NewLoggedDecision } from '../../../src/server/store/deciding/log-writer.ts';
import { WriteLock } from '../../../src/server/store/write-lock.ts';
import { usualDecision } from '../usual-decision.ts';

const migrations = readMigrations(join(import.meta.dirname, '../../../src/server/store/migrations'));
let folder: string;
let db: WorkbenchDatabase;
let queue: CommitQueue;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'commit-queue-'));
  db = openDatabase(join(folder, 'workbench.db'), { synchronous: 'FULL', migrations });
  const at = 1_000;
  db.prepare("INSERT INTO organisations (seq, id, name, created_at, plan_since) VALUES (7, 'org', 'Ours', ?, ?)").run(
    at,
    at,
  );
  db.prepare(
    `INSERT INTO decision_types (seq, id, organisation_id, name, description, pii_fields, active_version_id, created_at,
       updated_at) VALUES (1, 'type', 'org', 'refunds', '', '[]', 'version', ?, ?)`,
  ).run(at, at);
  queue = createCommitQueue(db, 1, new WriteLock(db));
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

function decision(note = ''): NewLoggedDecision {
  return {
    ...usualDecision,
    requestId: randomUUID(),
    input: { note },
    decision: 'approve',
    classProbabilities: { approve: 0.9, decline: 0.1 },
    latencyMs: 0.2,
  };
}

const rows = (table: 'decision_logs' | 'credit_entries') =>
  Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
/** Runs `work` on a queue whose transactions are counted. */
async function commitsDuring(work: () => Promise<unknown>): Promise<number> {
  let commits = 0;
  const real = db.transaction.bind(db);
  const counting = createCommitQueue(
    new Proxy(db, {
      get(target, property) {
        if (property !== 'transaction') {
          const value: unknown = Reflect.get(target, property);
          return typeof value === 'function' ? value.bind(target) : value;
        }
        return (run: (...args: never[]) => unknown) =>
          real((...args: never[]) => {
            commits++;
            return run(...args);
          });
      },
    }),
    1,
    new WriteLock(db),
  );
  queue = counting;
  await work();
  return commits;
}

describe('the commit queue', () => {
  it('writes the log record and the credit entry of each decision once', async () => {
    const made = decision();
    await queue.commit([made], 7);
    const id = z.uuid().parse(db.prepare('SELECT id FROM decision_logs').pluck().get());
    expect(db.prepare('SELECT * FROM credit_entries').all()).toEqual([
      {
        seq: 1,
        id,
        organisation_seq: 7,
        operation: 'decision',
        credits: 1,
        decision_type_id: 'type',
        reference_id: id,
        created_at: made.createdAt,
      },
    ]);
  });

  it('lets the decisions of one turn share a commit', async () => {
    const commits = await commitsDuring(() =>
      Promise.all(Array.from({ length: 200 }, () => queue.commit([decision()], 7))),
    );
    expect(rows('decision_logs')).toBe(200);
    expect(commits).toBe(1);
  });

  it('lets decisions that come a turn after each other share a commit too', async () => {
    const commits = await commitsDuring(async () => {
      const answers: Promise<void>[] = [];
      for (let turn = 0; turn < 10; turn++) {
        answers.push(queue.commit([decision()], 7));
        await new Promise((next) => setImmediate(next));
      }
      await Promise.all(answers);
    });
    expect([rows('decision_logs'), rows('credit_entries'), commits]).toEqual([10, 10, 1]);
  });

  it('does not let a full group wait for those that come after it', async () => {
    let last: Promise<void> | undefined;
    const commits = await commitsDuring(async () => {
      for (let turn = 0; turn < 200; turn++) {
        last = queue.commit([decision()], 7);
        await new Promise((next) => setImmediate(next));
      }
      await last;
    });
    expect([rows('decision_logs'), commits]).toEqual([200, 4]);
  });

  it('keeps the summaries of the ledger right where one commit fills a block', async () => {
    for (const size of [2_040, 20, 4_200]) {
      await Promise.all(Array.from({ length: size }, () => queue.commit([decision()], 7)));
    }
    const blocks = db.prepare('SELECT block, n, credits_sum, min_seq, max_seq FROM credit_blocks ORDER BY block').all();
    expect(blocks).toEqual([
      { block: 0, n: 2_047, credits_sum: 2_047, min_seq: 1, max_seq: 2_047 },
      { block: 1, n: 2_048, credits_sum: 2_048, min_seq: 2_048, max_seq: 4_095 },
      { block: 2, n: 2_048, credits_sum: 2_048, min_seq: 4_096, max_seq: 6_143 },
    ]);
  });

  it('refuses a record whose type is not there: nobody could be charged for it', async () => {
    const orphan = { ...decision(), decisionTypeSeq: 99 };
    await expect(queue.commit([orphan], 7)).rejects.toMatchObject({ code: 'unavailable' });
    expect([rows('decision_logs'), rows('credit_entries')]).toEqual([0, 0]);
  });

  it('counts what waits per organisation, so that a budget cannot be overdrawn meanwhile', async () => {
    const waiting = [queue.commit([decision()], 7), queue.commit([decision()], 7)];
    expect([queue.countPending(7), queue.countPending(8)]).toEqual([2, 0]);
    await Promise.all(waiting);
    expect(queue.countPending(7)).toBe(0);
  });

  it('refuses all of a turn when the disk is full, leaves nothing half, and recovers', async () => {
    await queue.commit([decision()], 7);
    const pages = Number(db.pragma('page_count', { simple: true }));
    db.pragma(`max_page_count = ${pages + 2}`);
    const refused = await Promise.allSettled(
      Array.from({ length: 5 }, () => queue.commit([decision('x'.repeat(20_000))], 7)),
    );
    for (const one of refused)
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'unavailable', status: 503 } });
    expect([rows('decision_logs'), rows('credit_entries')]).toEqual([1, 1]);

    db.pragma('max_page_count = 1000000');
    await queue.commit([decision('x'.repeat(20_000))], 7);
    expect([rows('decision_logs'), rows('credit_entries')]).toEqual([2, 2]);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('refuses only the record at fault when the others can be written', async () => {
    const bad = decision();
    bad.decision = null as unknown as string;
    const outcomes = await Promise.allSettled([
      queue.commit([decision()], 7),
      queue.commit([bad], 7),
      queue.commit([decision()], 7),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([rows('decision_logs'), rows('credit_entries')]).toEqual([2, 2]);
  });
});
