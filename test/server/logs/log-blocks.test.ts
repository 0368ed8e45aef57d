/** Totals, pages and metrics of a long log are those of its rows, whatever was deleted and however the clock went. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/engine/random.ts';
import type { LogFilter } from '../../../src/server/contract/deciding/logs.ts';
import { CreditStore } from '../../../src/server/store/account/credits.ts';
import { blockRows } from '../../../src/server/store/blocks.ts';
import { openDatabase, readMigrations, type WorkbenchDatabase } from '../../../src/server/store/database.ts';
import { type NewLoggedDecision, prepareLogInsert } from '../../../src/server/store/deciding/log-writer.ts';
import { LogStore } from '../../../src/server/store/deciding/logs.ts';
import { usualDecision } from '../usual-decision.ts';

const migrations = readMigrations(join(import.meta.dirname, '../../../src/server/store/migrations'));
const minuteMs = 60_000;
const startMs = Date.UTC(2026, 0, 1);
const folder = mkdtempSync(join(tmpdir(), 'log-blocks-'));
let db: WorkbenchDatabase;
/** What the log should hold, oldest first. */
let expected: (NewLoggedDecision & { seq: number; correctedDecision: string | null })[] = [];

/** Adds records to the log and to what is expected of it: a busy type, one with every 5th call, one with every 900th. */
function add(count: number, from: number): void {
  const insert = prepareLogInsert(db);
  const log = new LogStore(db);
  const random = createRandom(count + from);
  db.transaction(() => {
    for (let index = 0; index < count; index += 1) {
      const record: NewLoggedDecision = {
        ...usualDecision,
        decisionTypeSeq: index % 900 === 0 ? 3 : index % 5 === 0 ? 2 : 1,
        requestId: `r${from + index}`,
        decision: ['yes', 'no', 'rarely'][index % 701 === 0 ? 2 : Math.floor(random() * 2)] ?? '',
        confidence: Math.round(random() * 1_000) / 1_000,
        classProbabilities: {},
        escalated: random() < 0.1,
        // Releases follow each other; calls may name an earlier one.
        release: random() < 0.02 ? 1 : 1 + Math.floor((from + index) / 1_500),
        unfamiliar: random() < 0.05,
        latencyMs: Math.round(random() * 64) / 8,
        // the clock goes back half a day once
        createdAt: startMs + (from + index) * minuteMs - (index > count / 2 ? 720 * minuteMs : 0),
      };
      const seq = insert(record);
      const correctedDecision = random() < 0.05 ? 'no' : null;
      if (correctedDecision !== null) log.correct(seq, correctedDecision);
      expected.push({ ...record, seq, correctedDecision });
    }
  })();
}

const at = (minutes: number) => new Date(startMs + minutes * minuteMs).toISOString();
const filters: LogFilter[] = [
  {},
  { decision: 'yes' },
  { decision: 'rarely' },
  { decision: 'never' },
  { escalated: true },
  { min_confidence: 0.5 },
  { min_confidence: 0.85, max_confidence: 0.913 },
  { min_confidence: 0.8137 },
  { max_confidence: 0.8137, escalated: true },
  { min_confidence: 0.5, max_confidence: 0.5 },
  { min_confidence: 0.4996, max_confidence: 0.5004, decision: 'yes' },
  { min_confidence: 0.4991, max_confidence: 0.4999 },
  { min_confidence: 0.7, max_confidence: 0.3 },
  { min_confidence: 0, max_confidence: 1, decision: 'rarely' },
  { min_confidence: 1 },
  { max_confidence: 0.0004 },
  { start_time: at(3_000) },
  { end_time: at(5_001) },
  { start_time: at(2_500), end_time: at(7_500), decision: 'no', escalated: false, min_confidence: 0.333 },
  { start_time: at(1_999), decision: 'yes', min_confidence: 0.0621, max_confidence: 0.8137 },
];

function matches(record: NewLoggedDecision, typeSeq: number, filter: LogFilter): boolean {
  const { start_time: start, end_time: end } = filter;
  return (
    record.decisionTypeSeq === typeSeq &&
    (filter.decision === undefined || record.decision === filter.decision) &&
    (filter.escalated === undefined || record.escalated === filter.escalated) &&
    record.confidence >= (filter.min_confidence ?? 0) &&
    record.confidence <= (filter.max_confidence ?? 1) &&
    (start === undefined || record.createdAt >= Date.parse(start)) &&
    (end === undefined || record.createdAt <= Date.parse(end))
  );
}

async function expectTheLogToBeRight(): Promise<void> {
  const log = new LogStore(db);
  for (const typeSeq of [1, 2, 3]) {
    for (const filter of filters) {
      const wanted = expected.filter((record) => matches(record, typeSeq, filter)).reverse();
      const ids = wanted.map(({ seq }) => seq);
      const pages = Math.ceil(ids.length / 20);
      for (const page of new Set([1, 2, Math.ceil(pages / 2), pages, pages + 1].filter((each) => each > 0))) {
        const { decisions, total } = await log.page(typeSeq, filter, page, 20);
        const seen = { filter, page, total, ids: decisions.map(({ seq }) => seq) };
        expect(seen).toEqual({ filter, page, total: ids.length, ids: ids.slice((page - 1) * 20, page * 20) });
      }
      expect([...log.slices(typeSeq, filter, 300)].flat().map(({ seq }) => seq)).toEqual(ids);
      const waiting = wanted.filter((record) => record.escalated && record.correctedDecision === null);
      const queue = [...waiting.filter((each) => each.unfamiliar), ...waiting.filter((each) => !each.unfamiliar)];
      for (const page of [1, 2, Math.ceil(queue.length / 20) + 1]) {
        const { decisions, total } = log.pageToReview(typeSeq, filter, page, 20);
        const seen = { filter, page, total, ids: decisions.map(({ seq }) => seq) };
        const due = queue.slice((page - 1) * 20, page * 20).map(({ seq }) => seq);
        expect(seen).toEqual({ filter, page, total: queue.length, ids: due });
      }
    }
    for (const since of [0, 100, 4_000, 6_500, 100_000]) {
      const wanted = expected.filter((record) => matches(record, typeSeq, { start_time: at(since) }));
      const mean = (of: (record: NewLoggedDecision) => number) =>
        wanted.length === 0
          ? null
          : expect.closeTo(wanted.reduce((sum, record) => sum + of(record), 0) / wanted.length, 9);
      if (since === 0) expectReleasesToBeRight(log, typeSeq, wanted);
      expect(log.computeMetrics(typeSeq, startMs + since * minuteMs)).toEqual({
        total: wanted.length,
        avgConfidence: mean(({ confidence }) => confidence),
        avgLatencyMs: mean(({ latencyMs }) => latencyMs),
        escalationRate: mean(({ escalated }) => Number(escalated)),
        distribution: Object.fromEntries(
          [...new Set(wanted.map(({ decision }) => decision))].map((decision) => [
            decision,
            wanted.filter((record) => record.decision === decision).length,
          ]),
        ),
      });
    }
  }
}

function expectReleasesToBeRight(log: LogStore, typeSeq: number, records: typeof expected): void {
  const count = log.countByRelease(typeSeq);
  for (const release of [1, 2, 3, 5, 9, 1_000]) {
    const ofRelease = records.filter((record) => record.release === release);
    const checked = ofRelease.filter(({ correctedDecision }) => correctedDecision !== null);
    expect(count(release)).toEqual({
      decisions: ofRelease.length,
      escalated: ofRelease.filter(({ escalated }) => escalated).length,
      checked: checked.length,
      wrong: checked.filter(({ decision, correctedDecision }) => decision !== correctedDecision).length,
    });
  }
}

const summaries = () => db.prepare('SELECT * FROM log_blocks ORDER BY 1, 2, 3, 4, 5').all();

function forget(typeSeq: number, minutes: number): void {
  const before = startMs + minutes * minuteMs;
  const removed = [...new LogStore(db).forget(typeSeq, before, null)].reduce((sum, each) => sum + each, 0);
  const kept = expected.filter((record) => record.decisionTypeSeq !== typeSeq || record.createdAt >= before);
  expect(removed).toBe(expected.length - kept.length);
  expected = kept;
}

beforeAll(() => {
  db = openDatabase(join(folder, 'workbench.db'), { synchronous: 'NORMAL', migrations });
});
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

describe('a decision log of several blocks', () => {
  it('has exact totals, pages and metrics under every filter', async () => {
    add(4 * blockRows + 77, 0);
    expect(summaries().length).toBeGreaterThan(0);
    await expectTheLogToBeRight();
  });

  it('still has them after retention took the old records of one type', async () => {
    forget(1, 4_321);
    forget(3, 2_000);
    await expectTheLogToBeRight();
  });

  it('still has them while records wait for their deletion, when they come back, and when they are deleted', async () => {
    const log = new LogStore(db);
    const whole = summaries();
    const all = expected;
    const sum = (parts: Iterable<number>) => [...parts].reduce((total, each) => total + each, 0);
    const before = startMs + 6_789 * minuteMs;
    const waiting = all.filter((record) => record.decisionTypeSeq === 1 && record.createdAt < before);
    for (const removedAt of [10, 20]) {
      expect(sum(log.forget(1, before, removedAt))).toBe(waiting.length);
      expected = all.filter((record) => !waiting.includes(record));
      await expectTheLogToBeRight();
      if (removedAt === 10) {
        expect([sum(log.restore(2)), sum(log.restore(1))]).toEqual([0, waiting.length]);
        expected = all;
        expect(summaries()).toEqual(whole);
        await expectTheLogToBeRight();
      }
    }
    expect([sum(log.purge(19)), sum(log.purge(20)), sum(log.restore(1))]).toEqual([0, waiting.length, 0]);
    await expectTheLogToBeRight();
  });

  it('still has them when the newest records wait and others come, and when they are deleted', async () => {
    const log = new LogStore(db);
    const everything = startMs + 1_000_000 * minuteMs;
    expect([...log.forget(1, everything, 10)].length).toBeGreaterThan(0);
    expected = expected.filter((record) => record.decisionTypeSeq !== 1);
    add(blockRows, 15_000);
    await expectTheLogToBeRight();
    for (const typeSeq of [1, 2, 3]) expect([...log.forget(typeSeq, everything, 11)].length).toBeGreaterThan(0);
    expected = [];
    await expectTheLogToBeRight();
    expect([...log.purge(11)].length).toBeGreaterThan(0);
    expect([db.prepare('SELECT count(*) FROM decision_logs').pluck().get(), summaries()]).toEqual([0, []]);
    add(4 * blockRows + 77, 0);
    await expectTheLogToBeRight();
  });

  it('still has them when the newest records went and their row numbers are given again', async () => {
    const everything = 1_000_000;
    forget(1, everything);
    forget(2, everything);
    await expectTheLogToBeRight();
    add(blockRows + 500, 20_000);
    await expectTheLogToBeRight();
    forget(3, everything);
    forget(2, everything);
    forget(1, everything);
    expect([expected, summaries()]).toEqual([[], []]);
    add(2 * blockRows, 30_000);
    await expectTheLogToBeRight();
  });

  it('has summaries that are the same when they are made again', () => {
    const before = summaries();
    expect(before.length).toBeGreaterThan(0);
    new LogStore(db).rebuildBlocks();
    expect(summaries()).toEqual(before);
  });
});

describe('a credit ledger of several blocks', () => {
  it('has exact totals, pages and sums', () => {
    const ledger = new CreditStore(db);
    type Entry = Parameters<typeof ledger.insert>[0];
    const entries: Entry[] = Array.from({ length: 2 * blockRows + 300 }, (_, index) => ({
      id: `e${index}`,
      organisationSeq: index % 7 === 0 ? 2 : 1,
      operation: index % 500 === 0 ? 'training' : 'decision',
      credits: index % 500 === 0 ? 2_000 : 1,
      decisionTypeId: null,
      referenceId: null,
      createdAt: startMs + index * minuteMs,
    }));
    db.transaction(() => entries.forEach(ledger.insert))();
    for (const organisationSeq of [1, 2]) {
      for (const [minutes, operation] of [
        [0, null],
        [2_100, null],
        [1_000, 'training'],
        [4_200, 'decision'],
      ] as const) {
        const wanted = entries
          .filter((entry) => entry.organisationSeq === organisationSeq)
          .filter((entry) => entry.createdAt >= startMs + minutes * minuteMs)
          .reverse();
        const listed = wanted.filter((entry) => operation === null || entry.operation === operation);
        const sumOf = (of: string) =>
          listed.filter((entry) => entry.operation === of).reduce((sum, entry) => sum + entry.credits, 0);
        const sinceMs = startMs + minutes * minuteMs;
        for (const page of [1, 7, Math.ceil(listed.length / 50)]) {
          const usage = ledger.usage({ organisationSeq, sinceMs, operation, page, pageSize: 50 });
          expect({ ...usage, entries: usage.entries.map(({ id }) => id) }).toEqual({
            entries: listed.slice((page - 1) * 50, page * 50).map(({ id }) => id),
            total: listed.length,
            byOperation: Object.fromEntries(
              [...new Set(listed.map((entry) => entry.operation))].map((of) => [of, sumOf(of)]),
            ),
          });
        }
        expect(ledger.usedSince(organisationSeq, sinceMs)).toMatchObject({
          used: wanted.reduce((sum, entry) => sum + entry.credits, 0),
          decisions: wanted.filter((entry) => entry.operation === 'decision').length,
        });
      }
    }
    const before = db.prepare('SELECT * FROM credit_blocks ORDER BY 1, 2, 3').all();
    ledger.rebuildBlocks();
    expect(db.prepare('SELECT * FROM credit_blocks ORDER BY 1, 2, 3').all()).toEqual(before);
  });
});
