/** What becomes of the data when somebody else has been at the data folder: nothing is lost, and it is said. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/server/process/clock.ts';
import { completeOptions, openWorkbench, startWorkbench } from '../../../src/server/start.ts';
import { openDatabase, readMigrations } from '../../../src/server/store/database.ts';
import {
  deployForAll,
  loanExamples,
  loanType,
  openForTest,
  stoppedClock,
  temporaryFolder,
} from '../../server/workbench.ts';

const entry = path.join(import.meta.dirname, '../../../src/server/serve.ts');
const migrations = readMigrations(path.join(import.meta.dirname, '../../../src/server/store/migrations'));
const newest = migrations.at(-1)?.version ?? 0;
const loan = { decision_type: 'loan', input: { applicant: { score: 700 }, amount: 2_000 } };
const dayMs = 24 * 3600 * 1000;

const trained = deployForAll(loanType, loanExamples(40));

/** Starts the whole program in this process. */
async function start(dataDir: string) {
  const workbench = await startWorkbench({ dataDir, port: 0, rendererDir: null, logLevel: 'silent' });
  onTestFinished(() => workbench.close());
  const token = await workbench.issueSession();
  return {
    close: () => workbench.close(),
    async call(method: string, url: string, body?: object) {
      const answer = await fetch(workbench.url + url, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    },
  };
}

/** Runs the program until its first line of output, or to its end. */
async function run(dataDir: string): Promise<{ child: ChildProcess; code: number | null; errors: string }> {
  const child = spawn(process.execPath, [entry, 'serve', '--data-dir', dataDir, '--port', '0']);
  onTestFinished(() => void child.kill('SIGKILL'));
  let errors = '';
  child.stderr.on('data', (data) => {
    errors += String(data);
  });
  const line = once(createInterface({ input: child.stdout }), 'line').then(() => null);
  const code = await Promise.race([line, once(child, 'close').then(([ended]) => ended as number)]);
  return { child, code, errors };
}

/** Every file below a folder with its bytes, as far as a start that is refused must leave it alone. */
function readAll(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => !name.startsWith('instance.lock') && statSync(path.join(folder, name)).isFile());
  return new Map(files.sort().map((name) => [name, readFileSync(path.join(folder, name), 'base64')]));
}

async function expectRefusal(dataDir: string, sentence: RegExp): Promise<void> {
  const before = readAll(dataDir);
  await expect(start(dataDir)).rejects.toMatchObject({ kind: 'data', message: expect.stringMatching(sentence) });
  expect(readAll(dataDir)).toEqual(before);
}

const mode = (...parts: string[]) => (statSync(path.join(...parts)).mode & 0o7777).toString(8);
const database = (dataDir: string) => path.join(dataDir, 'workbench.db');

describe('a database that is not the one of its folder', () => {
  it('is missed: the program ends with a sentence and exit 1, and works again once it is back [DAT-1]', async () => {
    const dataDir = trained.copy();
    const policies = readdirSync(path.join(dataDir, 'artifacts'));
    renameSync(database(dataDir), path.join(dataDir, 'saved'));
    const { code, errors } = await run(dataDir);
    expect([code, errors.trim().split('\n').length]).toEqual([1, 1]);
    expect(errors).toMatch(/^The database .* is missing, but the folder was in use\. .*Nothing was changed\.\n$/);
    expect(existsSync(database(dataDir))).toBe(false);
    renameSync(path.join(dataDir, 'saved'), database(dataDir));
    const { call } = await start(dataDir);
    expect((await call('POST', '/api/v1/decide', loan)).status).toBe(200);
    expect(readdirSync(path.join(dataDir, 'artifacts'))).toEqual(policies);
  });

  it('is refused when it is empty, cut short, of another folder or of a newer program [DAT-1]', async () => {
    const cut = (bytes: number) => {
      const dataDir = trained.copy();
      truncateSync(database(dataDir), bytes);
      return dataDir;
    };
    await expectRefusal(cut(0), /is empty/);
    await expectRefusal(cut(40_000), /is damaged/);
    await expectRefusal(cut(100), /is damaged/);

    const other = temporaryFolder();
    await (await start(other)).close();
    const mixed = trained.copy();
    cpSync(database(other), database(mixed));
    await expectRefusal(mixed, /belongs to another data folder/);

    const foreign = trained.copy();
    rmSync(database(foreign));
    const db = new Database(database(foreign));
    db.exec('CREATE TABLE bookmarks (x); PRAGMA user_version = 3');
    db.close();
    await expectRefusal(foreign, /not one of the workbench/);

    const newer = trained.copy();
    const future = new Database(database(newer));
    future.pragma(`user_version = ${newest + 1}`);
    future.close();
    await expectRefusal(newer, /newer program/);
  });

  it('is missed, too, in a folder without its identity, which gets it again at its next start [DAT-1]', async () => {
    const earlier = () => {
      const dataDir = trained.copy();
      rmSync(path.join(dataDir, 'data-folder.json'));
      return dataDir;
    };
    const empty = earlier();
    rmSync(database(empty));
    await expectRefusal(empty, /is missing/);

    const dataDir = earlier();
    const { call, close } = await start(dataDir);
    expect((await call('POST', '/api/v1/decide', loan)).status).toBe(200);
    await close();
    const identity = JSON.parse(readFileSync(path.join(dataDir, 'data-folder.json'), 'utf8'));
    expect(identity).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      schema_version: newest,
      created_at: expect.any(String),
    });
    await (await start(dataDir)).close();
    expect(JSON.parse(readFileSync(path.join(dataDir, 'data-folder.json'), 'utf8'))).toEqual(identity);
  });

  it('that knows less than the folder holds costs nothing: what it does not know waits 30 days in the trash [DAT-2]', async () => {
    const dataDir = trained.copy();
    const name = `${trained.policyId}.zip`;
    const unknown = '00000000-0000-7000-8000-000000000000.zip';
    const bundle = readFileSync(path.join(dataDir, 'artifacts', name));
    writeFileSync(path.join(dataDir, 'artifacts', unknown), bundle);
    writeFileSync(path.join(dataDir, 'secrets', 'connection-of-nobody.key'), 'secret');
    const clock = stoppedClock();
    await openForTest({ dataDir }, clock);
    expect(readdirSync(path.join(dataDir, 'artifacts'))).toEqual([name]);
    expect(readdirSync(path.join(dataDir, 'trash')).sort()).toEqual([unknown, 'connection-of-nobody.key']);
    expect(readFileSync(path.join(dataDir, 'trash', unknown)).equals(bundle)).toBe(true);

    const { emptyTrash } = await import('../../../src/server/data-folder/trash.ts');
    emptyTrash(path.join(dataDir, 'trash'), clock.now() + 29 * dayMs);
    expect(readdirSync(path.join(dataDir, 'trash'))).toHaveLength(2);
    emptyTrash(path.join(dataDir, 'trash'), clock.now() + 31 * dayMs);
    expect(readdirSync(path.join(dataDir, 'trash'))).toEqual([]);
  });

  it('is noticed within seconds while the program runs: no decision is answered that nobody keeps [DAT-3]', async () => {
    const dataDir = trained.copy();
    const { call } = await start(dataDir);
    const decide = async () => (await call('POST', '/api/v1/decide', loan)).status;
    const ready = async () => (await call('GET', '/ready')).body;
    expect([await decide(), (await ready())['status']]).toEqual([200, 'ready']);

    const away = `${dataDir}-away`;
    onTestFinished(() => rmSync(away, { recursive: true, force: true }));
    renameSync(dataDir, away);
    await expect.poll(decide).toBe(503);
    expect(await ready()).toMatchObject({ status: 'degraded', data_folder: false });
    const refused = await call('POST', '/api/v1/decision-types', { name: 'new', options: ['yes', 'no'] });
    expect([refused.status, refused.body['error']]).toEqual([
      503,
      { code: 'unavailable', message: expect.stringMatching(/removed or replaced .*\. Put it back, or restart\.$/) },
    ]);
    expect(existsSync(dataDir)).toBe(false);

    renameSync(away, dataDir);
    await expect.poll(decide).toBe(200);
    expect(await ready()).toMatchObject({ status: 'ready', data_folder: true });

    renameSync(database(dataDir), path.join(dataDir, 'saved'));
    cpSync(path.join(dataDir, 'saved'), database(dataDir));
    await expect.poll(decide).toBe(503);
    expect(await ready()).toMatchObject({ status: 'degraded', data_folder: false });
  });
});

describe('a second workbench on the folder', () => {
  it('stops the first one where somebody removed the lock file: one of them writes [RUN-2] [DAT-3]', async () => {
    const dataDir = trained.copy();
    const first = await start(dataDir);
    rmSync(path.join(dataDir, 'instance.lock.db'));
    const second = await start(dataDir);
    const decide = async ({ call }: typeof first) => (await call('POST', '/api/v1/decide', loan)).status;
    await expect.poll(() => decide(first)).toBe(503);
    expect((await first.call('GET', '/ready')).body).toMatchObject({ status: 'degraded', data_folder: false });
    expect(await decide(second)).toBe(200);
  });

  it('hears a sentence when the lock file is garbage [RUN-2]', async () => {
    const dataDir = trained.copy();
    writeFileSync(path.join(dataDir, 'instance.lock.db'), 'garbage '.repeat(1_000));
    await expectRefusal(dataDir, /^The lock .* cannot be used\./);
  });
});

describe('another program that has the database open', () => {
  async function open(dataDir: string, kind: 'READ' | 'IMMEDIATE') {
    const holder = fork(path.join(import.meta.dirname, '../tools/storage/lock-holder.ts'), [database(dataDir), kind]);
    onTestFinished(() => void holder.kill('SIGKILL'));
    await once(holder, 'message');
  }

  it('does not keep the workbench from starting while it reads, and does while it writes [RUN-2]', async () => {
    const dataDir = trained.copy();
    const killed = await run(dataDir);
    killed.child.kill('SIGKILL');
    await once(killed.child, 'close');
    await open(dataDir, 'READ');
    const { call, close } = await start(dataDir);
    expect((await call('POST', '/api/v1/decide', loan)).status).toBe(200);
    await close();
    await open(dataDir, 'IMMEDIATE');
    await expect(start(dataDir)).rejects.toMatchObject({
      kind: 'instance',
      message: `The database ${database(dataDir)} is being written by another program. Close that first.`,
    });
  });
});

describe('a secret of the wrong form', () => {
  it.each([
    ['key-hmac', ''],
    ['key-hmac', 'z'.repeat(64)],
    ['key-hmac', 'a1'.repeat(31)],
    ['issuer-key.json', ''],
    ['issuer-key.json', '{"kid":"a","private":{},"public":{}}'],
  ])('ends the start with a sentence: %s is %j [KEY-5]', async (name, text) => {
    const dataDir = trained.copy();
    writeFileSync(path.join(dataDir, 'secrets', name), text);
    await expectRefusal(dataDir, /^The secret .* is damaged\. Put it back from a backup; nothing was changed\.$/);
  });
});

describe('a folder without its secrets', () => {
  it('starts with new ones, and the log says that no API key is valid any more [KEY-5]', async () => {
    const dataDir = trained.copy();
    rmSync(path.join(dataDir, 'secrets'), { recursive: true });
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => lines.push(line) });
    for (const warnings of [1, 0]) {
      const options = completeOptions({ dataDir, port: 0, rendererDir: null });
      await (await openWorkbench(options, systemClock, log)).close();
      const said = lines.splice(0).filter((line) => line.includes('no earlier API key is valid'));
      expect(said).toHaveLength(warnings);
    }
  });
});

describe('a folder that cannot be used', () => {
  it('ends the start with a sentence [DAT-1]', async () => {
    const dataDir = temporaryFolder();
    writeFileSync(path.join(dataDir, 'artifacts'), '');
    await expectRefusal(dataDir, /^The data folder .* cannot be used \(ENOTDIR, .*\)\. Make it/);
    const below = path.join(dataDir, 'artifacts', 'data');
    await expect(start(below)).rejects.toMatchObject({ kind: 'data', message: expect.stringContaining('ENOTDIR') });

    const address = path.join(temporaryFolder(), 'runtime.json');
    mkdirSync(address);
    const refused = await run(path.dirname(address));
    expect([refused.code, refused.errors]).toEqual([
      1,
      expect.stringMatching(/^The data folder .* cannot be used \(ERR_FS_EISDIR, rm .*runtime\.json\)\. Make it.*\n$/),
    ]);
  });
});

describe('the permissions of a folder', () => {
  it('are not touched where it is not ours, and nothing is put into it [DAT-4]', async () => {
    const home = temporaryFolder();
    const documents = path.join(home, 'documents');
    mkdirSync(documents);
    writeFileSync(path.join(documents, 'letter.txt'), 'Dear Ada');
    chmodSync(documents, 0o755);
    await expect(start(documents)).rejects.toMatchObject({
      kind: 'data',
      message: expect.stringContaining('letter.txt'),
    });
    expect([mode(documents), readdirSync(documents)]).toEqual(['755', ['letter.txt']]);

    const shared = path.join(home, 'shared');
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    await expect(start(shared)).rejects.toMatchObject({ kind: 'data' });
    expect([mode(shared), readdirSync(shared)]).toEqual(['1777', []]);

    const file = path.join(home, 'file');
    writeFileSync(file, '');
    await expect(start(file)).rejects.toMatchObject({ kind: 'data' });
  });

  it('leave everything in ours to its owner, from the first moment on [DAT-4]', async () => {
    const earlier = process.umask(0o022);
    onTestFinished(() => void process.umask(earlier));
    const dataDir = path.join(temporaryFolder(), 'data');
    mkdirSync(dataDir);
    const { call } = await start(dataDir);
    await call('POST', '/api/v1/decision-types', { name: 'new', options: ['yes', 'no'] });
    expect(mode(dataDir)).toBe('700');
    const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
    expect(names).toEqual(expect.arrayContaining(['workbench.db-wal', 'workbench.db-shm', 'instance.lock.db']));
    const wide = names.filter((name) => !['600', '700'].includes(mode(dataDir, name)));
    expect(wide).toEqual([]);
  });
});

describe('an upgrade of the data', () => {
  const step = (version: number, sql: string) => ({ version, sql });
  const first = step(1, 'CREATE TABLE a (x); INSERT INTO a VALUES (1)');
  const open = (dataDir: string, steps: { version: number; sql: string }[]) =>
    openDatabase(database(dataDir), {
      synchronous: 'FULL',
      migrations: steps,
      backupsDir: path.join(dataDir, 'backups'),
    });

  it('P7: that fails half-way leaves the data to the program that wrote them, and a copy [DAT-5]', () => {
    const dataDir = temporaryFolder();
    open(dataDir, [first]).close();
    const good = step(2, 'ALTER TABLE a ADD COLUMN y');
    const bad = step(3, 'CREATE TABLE a (x)');
    expect(() => open(dataDir, [first, good, bad])).toThrow(
      expect.objectContaining({
        kind: 'data',
        message: expect.stringMatching(
          /from schema 1 to 3: step 3 failed .*Nothing was changed, .* a copy is in .*\.$/,
        ),
      }),
    );
    const old = open(dataDir, [first]);
    expect([old.pragma('user_version', { simple: true }), old.prepare('SELECT * FROM a').all()]).toEqual([
      1,
      [{ x: 1 }],
    ]);
    old.close();
    const copy = new Database(path.join(dataDir, 'backups', 'schema-1.db'), { readonly: true });
    expect([copy.pragma('user_version', { simple: true }), copy.prepare('SELECT * FROM a').all()]).toEqual([
      1,
      [{ x: 1 }],
    ]);
    copy.close();
    expect(mode(dataDir, 'backups', 'schema-1.db')).toBe('600');
  });

  it('keeps the data of before the last three upgrades, and none begins without its copy [DAT-5]', () => {
    const dataDir = temporaryFolder();
    const steps = [first, ...[2, 3, 4, 5].map((version) => step(version, `CREATE TABLE t${version} (x)`))];
    for (let known = 1; known <= steps.length; known += 1) open(dataDir, steps.slice(0, known)).close();
    expect(readdirSync(path.join(dataDir, 'backups')).sort()).toEqual(['schema-2.db', 'schema-3.db', 'schema-4.db']);
    rmSync(path.join(dataDir, 'backups'), { recursive: true });
    writeFileSync(path.join(dataDir, 'backups'), 'in the way');
    const next = [...steps, step(6, 'CREATE TABLE t6 (x)')];
    expect(() => open(dataDir, next)).toThrow(/no copy could be put into/);
    const old = open(dataDir, steps);
    expect(old.pragma('user_version', { simple: true })).toBe(5);
    old.close();
  });
});
