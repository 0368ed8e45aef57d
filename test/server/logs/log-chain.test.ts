/** A changed log is found: 400 mutations of its records, its chain, its file and its end, each of a copy of one log. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../../src/engine/random.ts';
import { runDataCommand } from '../../../src/server/data-commands.ts';
import { openDatabase, readMigrations, type WorkbenchDatabase } from '../../../src/server/store/database.ts';
import { prepareLogInserts } from '../../../src/server/store/deciding/log-writer.ts';
import { LogStore } from '../../../src/server/store/deciding/logs.ts';
import { checkLog, type KeptHead } from '../../../src/server/store/deciding/verify-chain.ts';
import {
  type ChainEntry,
  chainedColumns,
  digestBytes,
  digestEntry,
  digestRecord,
  type LogHead,
  makeLink,
  readHead,
} from '../../../src/server/store/log-chain.ts';
import { createPersonalResidueStore } from '../../../src/server/store/types/personal-residues.ts';
import { usualDecision } from '../usual-decision.ts';
import { makeDataDir, openForTest, removeDataDir } from '../workbench.ts';

const migrations = readMigrations(join(import.meta.dirname, '../../../src/server/store/migrations'));
const folder = makeDataDir();
const file = join(folder, 'log.db');
const copy = join(folder, 'copy.db');
const kinds = ['record', 'value', 'order', 'added', 'tail', 'rebuilt', 'entry', 'byte'] as const;
const eachKind = 50;
let kept: KeptHead;

function drain(work: Iterable<number>): void {
  for (const _ of work);
}

/** Adds records in commits of one to five. */
function add(db: WorkbenchDatabase, commits: number, from: number): void {
  const insert = prepareLogInserts(db);
  for (let commit = 0; commit < commits; commit += 1) {
    const records = Array.from({ length: 1 + (commit % 5) }, (_, index) => ({
      ...usualDecision,
      decisionTypeSeq: 1 + (index % 2),
      requestId: `request-${from + commit}-${index}`,
      input: { amount: commit * 7, email: `a${commit}@example.org` },
      ruleErrors: commit % 7 === 0 ? [{ name: 'one', error: 'missing_field' as const }] : [],
      createdAt: 1_000 * (from + commit),
    }));
    db.transaction(() => insert(records))();
  }
}

/** Makes of all records what the program before links wrote: entries with the digests of two or three records each. */
function makeEarlier(db: WorkbenchDatabase): void {
  const rows = db
    .prepare<[], (string | number)[]>(`SELECT ${chainedColumns} FROM decision_logs ORDER BY seq`)
    .raw()
    .all();
  const insert = db.prepare(
    "INSERT INTO log_chain (seq, kind, first, last, content, head) VALUES (?, 'decided', ?, ?, ?, ?)",
  );
  let before = db.prepare<[], ChainEntry>('SELECT * FROM log_chain ORDER BY seq DESC LIMIT 1').get() as ChainEntry;
  for (let at = 0; at < rows.length; at += 3) {
    const content = Buffer.concat(rows.slice(at, at + 3).map((values) => digestRecord(values)));
    const [first, last] = [at + 1, Math.min(at + 3, rows.length)];
    const entry = { seq: before.seq + 1, kind: 'decided' as const, first, last, content, record: null, link: null };
    before = { ...entry, head: digestEntry(before, entry) };
    insert.run(entry.seq, first, last, content, before.head);
  }
  db.exec('UPDATE decision_logs SET link = NULL');
}

beforeAll(() => {
  const db = openDatabase(file, { synchronous: 'NORMAL', migrations });
  db.exec(`INSERT INTO organisations (seq, id, name, plan_since, created_at) VALUES (1, 'o', 'o', 0, 0);
    INSERT INTO decision_types (seq, id, organisation_id, name, description, pii_fields, active_version_id, created_at, updated_at)
    VALUES (2, 't', 'o', 't', '', '["email"]', 'v', 0, 0)`);
  add(db, 20, 0);
  makeEarlier(db);
  add(db, 20, 20);
  const logs = new LogStore(db);
  logs.correct(5, 'no');
  logs.correct(6, 'no');
  logs.correct(6, null);
  // Retention: the oldest of one type out of sight, some back; of the other deleted at once; values masked late.
  drain(logs.forget(1, 6_000, 10));
  drain(logs.restore(1));
  drain(logs.forget(1, 4_000, 20));
  drain(logs.forget(2, 5_000, null));
  const residues = createPersonalResidueStore(db);
  residues.note(2, true);
  while (residues.rewriteSome(2, (input) => ({ ...input, email: 'pii:0' })));
  add(db, 10, 100);
  kept = { ...readHead(db), from: 'the backup' };
  db.pragma('journal_mode = DELETE');
  db.close();
});
afterAll(() => removeDataDir(folder));

/** Makes the whole chain again from a record on, as somebody would who knows how it is made. */
function rebuild(db: WorkbenchDatabase, changed: number): void {
  const rows = db
    .prepare<[number], [number, string | null, ...string[]]>(
      `SELECT seq, link, ${chainedColumns} FROM decision_logs WHERE seq >= ? ORDER BY seq`,
    )
    .raw()
    .all(changed);
  const links = new Map<string, string>();
  let link =
    db
      .prepare<[number], string>('SELECT link FROM decision_logs WHERE seq < ? ORDER BY seq DESC')
      .pluck()
      .get(changed) ?? '';
  const digests = new Map<number, Buffer>();
  for (const [seq, old, ...values] of rows) {
    digests.set(seq, digestRecord(values));
    if (old === null) continue;
    link = makeLink(link, values);
    links.set(old, link);
    db.prepare('UPDATE decision_logs SET link = ? WHERE seq = ?').run(link, seq);
  }
  const entries = db.prepare<[], ChainEntry>('SELECT * FROM log_chain ORDER BY seq').all();
  let before = entries[0] as ChainEntry;
  for (const entry of entries.slice(1)) {
    if (entry.kind === 'decided')
      for (let seq = entry.first; seq <= entry.last; seq += 1)
        digests.get(seq)?.copy(entry.content, (seq - entry.first) * digestBytes);
    entry.link = links.get(entry.link ?? '') ?? entry.link;
    before = { ...entry, head: digestEntry(before, entry) };
    db.prepare('UPDATE log_chain SET content = ?, head = ?, link = ? WHERE seq = ?').run(
      entry.content,
      before.head,
      entry.link,
      entry.seq,
    );
  }
}

const columns = chainedColumns.split(',').map((name) => name.trim());

/** Changes one thing; returns false where chance chose a change that changes nothing. */
function mutate(kind: (typeof kinds)[number], random: Random): boolean {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  if (kind === 'byte') return flipByte(random);
  const db = new Database(copy);
  db.pragma('synchronous = OFF');
  try {
    const seqs = db.prepare<[], number>('SELECT seq FROM decision_logs ORDER BY seq').pluck().all();
    const seq = pick(seqs);
    if (kind === 'record') db.prepare('DELETE FROM decision_logs WHERE seq = ?').run(seq);
    if (kind === 'value') {
      const column = pick([...columns, 'link', 'removed_at', 'corrected_decision']);
      const value = db.prepare<[number], unknown>(`SELECT ${column} FROM decision_logs WHERE seq = ?`).pluck().get(seq);
      const other =
        typeof value === 'number' ? value + 1 : column === 'removed_at' || column === 'release' ? 7 : `${value ?? ''}x`;
      db.prepare(`UPDATE decision_logs SET ${column} = ? WHERE seq = ?`).run(other, seq);
    }
    if (kind === 'order') {
      const other = pick(seqs.filter((each) => each !== seq));
      const move = db.prepare('UPDATE decision_logs SET seq = ? WHERE seq = ?');
      move.run(999_999, seq);
      move.run(seq, other);
      move.run(other, 999_999);
    }
    if (kind === 'added') {
      const place = random() < 0.5 ? (seqs.at(-1) ?? 0) + 1 : 1;
      db.exec(`INSERT OR IGNORE INTO decision_logs (seq, link, ${chainedColumns})
        SELECT ${place}, link, ${chainedColumns} FROM decision_logs WHERE seq = ${seq}`);
      if (db.prepare('SELECT changes()').pluck().get() === 0) return false;
    }
    if (kind === 'tail') {
      const cut = pick(seqs.slice(-20));
      db.exec(
        `DELETE FROM log_chain WHERE last >= ${cut} OR record >= ${cut}; DELETE FROM decision_logs WHERE seq >= ${cut}`,
      );
    }
    if (kind === 'rebuilt') {
      db.prepare("UPDATE decision_logs SET decision = 'no', confidence = 1 WHERE seq = ?").run(seq);
      rebuild(db, seq);
    }
    if (kind === 'entry') {
      const entry = pick(db.prepare<[], ChainEntry>('SELECT * FROM log_chain').all());
      const at = Math.floor(random() * 3);
      if (at === 0 && entry.seq > 1) db.prepare('DELETE FROM log_chain WHERE seq = ?').run(entry.seq);
      else if (at === 1) db.prepare('UPDATE log_chain SET last = last + 1 WHERE seq = ?').run(entry.seq);
      else {
        entry.head[Math.floor(random() * digestBytes)]! ^= 1 << Math.floor(random() * 8);
        db.prepare('UPDATE log_chain SET head = ? WHERE seq = ?').run(entry.head, entry.seq);
      }
    }
    return true;
  } finally {
    db.close();
  }
}

/** Flips a bit of a stored input, in the file itself: no check of SQLite would say so. */
function flipByte(random: Random): boolean {
  const bytes = readFileSync(copy);
  const places: number[] = [];
  for (let at = bytes.indexOf('{"amount":'); at >= 0; at = bytes.indexOf('{"amount":', at + 1)) places.push(at);
  const at = (places[Math.floor(random() * places.length)] ?? 0) + Math.floor(random() * 12);
  bytes[at]! ^= 1 << Math.floor(random() * 7);
  writeFileSync(copy, bytes);
  return true;
}

describe('The chain of the log', () => {
  it('holds over decisions, corrections, retention and masking, each of which is an entry [LOG-9]', () => {
    const found = checkLog(file, [kept]);
    expect(found).toMatchObject({ fault: null, earlier: 0, head: { entries: kept.entries, digest: kept.digest } });
    const db = new Database(file, { readonly: true });
    const noted = db.prepare('SELECT DISTINCT kind FROM log_chain ORDER BY kind').pluck().all();
    db.close();
    expect(noted).toEqual(['began', 'corrected', 'decided', 'deleted', 'hidden', 'masked', 'restored']);
  });

  it.each(kinds)('finds each of 50 changes of a log: %s [LOG-9]', (kind) => {
    const random = createRandom(kinds.indexOf(kind) + 1);
    const missed: number[] = [];
    for (let done = 0, tries = 0; done < eachKind; tries += 1) {
      copyFileSync(file, copy);
      if (!mutate(kind, random)) continue;
      done += 1;
      if (findFault() === null) missed.push(tries);
    }
    expect(missed).toEqual([]);
  });

  it('names the first record from which it does not hold [LOG-9]', () => {
    const spoil = (sql: string): string | null => {
      copyFileSync(file, copy);
      const db = new Database(copy);
      db.exec(sql);
      db.close();
      return findFault();
    };
    expect(spoil("UPDATE decision_logs SET decision = 'no' WHERE seq IN (60, 70)")).toBe(
      'Record 60 of the log is not as it was written.',
    );
    expect(spoil('DELETE FROM decision_logs WHERE seq IN (61, 71)')).toBe('Record 61 of the log is missing.');
    expect(spoil('DELETE FROM log_chain WHERE seq = 15')).toMatch(/^Record \d+ of the log is in no entry/);
    expect(spoil('UPDATE log_chain SET last = last + 1 WHERE seq = 20')).toMatch(/from record \d+ on: its entry 20 is/);
    expect(spoil('DELETE FROM decision_logs WHERE seq > 140')).toMatch(
      /^The end of the log is gone, from record 141 on: .* knows record \d+ as the newest\.$/,
    );
    expect(spoil('DELETE FROM log_chain')).toBe('The chain of the log is gone.');
  });

  it('finds that the write-ahead log went, by a head that was kept [LOG-9]', () => {
    copyFileSync(file, copy);
    const db = openDatabase(copy, { synchronous: 'NORMAL', migrations });
    add(db, 3, 500);
    const head: LogHead = readHead(db);
    const left = join(folder, 'without-wal.db');
    copyFileSync(copy, left);
    db.close();
    expect(checkLog(copy, [{ ...head, from: 'a' }])?.fault).toBeNull();
    expect(checkLog(left, [{ ...head, from: 'the file log-head.json' }])?.fault).toMatch(/end of the log is gone/);
  });

  it('begins with the program that makes it, and forgets what retention has emptied [LOG-9]', () => {
    const old = join(folder, 'old.db');
    const before = openDatabase(old, {
      synchronous: 'NORMAL',
      migrations: migrations.filter(({ version }) => version < 58),
    });
    before.exec(`INSERT INTO decision_logs (request_id, ${columns.filter((name) => name !== 'request_id').join(', ')})
      VALUES ('r', 1, '{}', 'yes', 1, NULL, 'rules', '[]', '{}', '[]', 0, 0, 0, 'v1', 1, 1, NULL, 1, NULL, 1, NULL, NULL, NULL, NULL)`);
    before.close();
    expect(checkLog(old)).toBeNull();
    const db = openDatabase(old, { synchronous: 'NORMAL', migrations });
    add(db, 50, 10);
    expect(checkLog(old)).toMatchObject({ fault: null, earlier: 1 });
    const logs = new LogStore(db);
    for (const seq of [1, 2]) drain(logs.forget(seq, 50_000, null));
    drain(logs.purge(0));
    expect(checkLog(old)).toMatchObject({ fault: null, earlier: 0 });
    for (const seq of [1, 2]) drain(logs.forget(seq, 1e9, null));
    drain(logs.purge(0));
    expect(db.prepare('SELECT min(seq) FROM log_chain').pluck().get()).toBeGreaterThan(1);
    add(db, 5, 900);
    expect(checkLog(old)).toMatchObject({ fault: null, records: 15 });
    db.close();
  });
});

it('A log whose newest records were deleted goes on from their links, and each head ever kept holds [LOG-9]', () => {
  const other = join(folder, 'other.db');
  const db = openDatabase(other, { synchronous: 'NORMAL', migrations });
  const logs = new LogStore(db);
  const random = createRandom(9);
  const heads: KeptHead[] = [];
  for (let step = 1; step <= 60; step += 1) {
    add(db, 1 + Math.floor(random() * 3), step * 10);
    heads.push({ ...readHead(db), from: `a head of step ${step}` });
    // The newest of one type, all of both, or some old ones.
    if (step % 3 === 0) drain(logs.forget(1 + (step % 2), 1e9, null));
    if (step % 10 === 0) for (const seq of [1, 2]) drain(logs.forget(seq, 1e9, null));
    if (step % 4 === 0) drain(logs.forget(2, step * 7_000, null));
    const newest = db.prepare<[], number>('SELECT max(seq) FROM decision_logs').pluck().get();
    if (newest) logs.correct(newest, 'no');
    heads.push({ ...readHead(db), from: `a head after step ${step}` });
    expect(checkLog(other, heads), `step ${step}`).toMatchObject({ fault: null, head: readHead(db) });
  }
  db.close();
});

it('The log of a workbench is verified by command, against the head in its metrics and backups [LOG-9]', async () => {
  const { call, deps, dataDir } = await openForTest();
  const type = { name: 'loan', options: ['yes', 'no'], fallback_option: 'no' };
  const { id } = (await call('POST', '/api/v1/decision-types', type)).body;
  const path = `/api/v1/decision-types/${id}`;
  const made = await call('POST', `${path}/policies`, { kind: 'rules_only' });
  await call('POST', `${path}/policies/${made.body.id}/deploy`);
  for (let amount = 0; amount < 5; amount += 1)
    await call('POST', '/api/v1/decide', { decision_type: 'loan', input: { amount } });
  const [newest] = (await call('GET', `${path}/logs`)).body.items;
  await call('PUT', `${path}/logs/${newest.id}/correction`, { decision: 'yes' });
  const verify = (head?: LogHead) =>
    runDataCommand({ command: 'verify', backup: null, dataDir, ...(head && { head }) }, 0);
  const [, entries, record, digest = ''] = / is (\d+)\.(\d+):([0-9a-f]{64})\.$/.exec(verify()) ?? [];
  const metrics = (await call('GET', '/metrics')).text;
  expect(metrics).toContain(
    `decision_workbench_log_head{entries="${entries}",record="${record}",digest="${digest}"} 1`,
  );
  const head = { entries: Number(entries), record: Number(record), digest };
  expect(() => verify(head)).not.toThrow();
  expect(() => verify({ ...head, digest: digest.replaceAll(/[0-9]/g, 'f') })).toThrow(/written again/);
  expect(() => verify({ ...head, entries: head.entries + 1 })).toThrow(/The end of the log is gone, from record 6 on/);
  expect(() => verify({ ...head, record: head.record + 1 })).toThrow(/The end of the log is gone, from record 6 on/);
  const backup = runDataCommand({ command: 'backup', dataDir, target: null, withSecrets: false }, 1_000);
  expect(runDataCommand({ command: 'verify', backup, dataDir }, 0)).toContain(`${entries}.${record}:${digest}`);
  deps.db.exec("UPDATE decision_logs SET decision = 'yes' WHERE seq = 2");
  expect(() => verify()).toThrow('Record 2 of the log is not as it was written.');
});

/** A file that SQLite itself cannot read is found as well. */
function findFault(): string | null {
  try {
    return checkLog(copy, [kept])?.fault ?? null;
  } catch (error) {
    if (error instanceof Database.SqliteError || error instanceof SyntaxError) return error.message;
    throw error;
  }
}
