/** How decisions become durable: many callers, few commits, and nothing half written when the disk is full. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommitQueue, createCommitQueue, type DecisionRecord } from '../../src/server/store/commit-queue.ts';
import { openDatabase, readMigrations, type WorkbenchDatabase } from '../../src/server/store/database.ts';

const migrations = readMigrations(join(import.meta.dirname, '../../src/server/store/migrations'));
let folder: string;
let db: WorkbenchDatabase;
let queue: CommitQueue;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'commit-queue-'));
  db = openDatabase(join(folder, 'workbench.db'), { synchronous: 'FULL', migrations });
  queue = createCommitQueue(db);
});
afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

function decision(note = ''): DecisionRecord {
  const id = randomUUID();
  return {
    log: {
      id,
      decisionTypeSeq: 1,
      requestId: id,
      inputJson: JSON.stringify({ note }),
      decision: 'approve',
      confidence: 0.9,
      stage: 'classifier',
      reasonCodes: [],
      classProbabilities: { approve: 0.9, decline: 0.1 },
      rulesTriggered: [],
      escalated: false,
      fallbackUsed: false,
      unfamiliar: false,
      policyVersion: 'v1',
      latencyMs: 0.2,
      apiKeyId: null,
      createdAt: 1_000,
    },
    credit: {
      id: randomUUID(),
      organisationSeq: 7,
      operation: 'decision',
      credits: 1,
      decisionTypeId: null,
      referenceId: id,
      createdAt: 1_000,
    },
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
  );
  queue = counting;
  await work();
  return commits;
}

describe('the commit queue', () => {
  it('writes the log record and the credit entry of each decision once', async () => {
    await queue.commit(decision());
    expect([rows('decision_logs'), rows('credit_entries')]).toEqual([1, 1]);
  });

  it('lets the decisions of one turn share a commit', async () => {
    const commits = await commitsDuring(() => Promise.all(Array.from({ length: 200 }, () => queue.commit(decision()))));
    expect(rows('decision_logs')).toBe(200);
    expect(commits).toBe(1);
  });

  it('counts what waits per organisation, so that a budget cannot be overdrawn meanwhile', async () => {
    const waiting = [queue.commit(decision()), queue.commit(decision())];
    expect([queue.pendingOf(7), queue.pendingOf(8)]).toEqual([2, 0]);
    await Promise.all(waiting);
    expect(queue.pendingOf(7)).toBe(0);
  });

  it('refuses all of a turn when the disk is full, leaves nothing half, and recovers', async () => {
    await queue.commit(decision());
    const pages = Number(db.pragma('page_count', { simple: true }));
    db.pragma(`max_page_count = ${pages + 2}`);
    const refused = await Promise.allSettled(
      Array.from({ length: 5 }, () => queue.commit(decision('x'.repeat(20_000)))),
    );
    for (const one of refused)
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'unavailable', status: 503 } });
    expect([rows('decision_logs'), rows('credit_entries')]).toEqual([1, 1]);

    db.pragma('max_page_count = 1000000');
    await queue.commit(decision('x'.repeat(20_000)));
    expect([rows('decision_logs'), rows('credit_entries')]).toEqual([2, 2]);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  });

  it('refuses only the record at fault when the others can be written', async () => {
    const bad = decision();
    bad.log.decision = null as unknown as string;
    const outcomes = await Promise.allSettled([queue.commit(decision()), queue.commit(bad), queue.commit(decision())]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([rows('decision_logs'), rows('credit_entries')]).toEqual([2, 2]);
  });
});
