import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { trainingConfigSchema } from '../../../src/engine/domain/training.ts';
import { systemClock } from '../../../src/server/process/clock.ts';
import { StartError } from '../../../src/server/process/start-error.ts';
import { readCommandLine } from '../../../src/server/serve.ts';
import { completeOptions, openWorkbench, startWorkbench } from '../../../src/server/start.ts';
import { openDatabase } from '../../../src/server/store/database.ts';
import { callerOf, makeType, openForTest, temporaryFolder } from '../workbench.ts';

const entry = path.join(import.meta.dirname, '../../../src/server/serve.ts');

/** Starts the program; the promise is its first line of output, or its exit code when it ends before. */
function run(...args: string[]): {
  child: ChildProcess;
  ready(): Promise<Record<string, string>>;
  firstLine: Promise<string>;
  ended: Promise<{ code: number | null; errors: string }>;
} {
  const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let errors = '';
  child.stderr?.on('data', (data) => {
    errors += String(data);
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const firstLine = once(lines, 'line').then(([line]) => String(line));
  return {
    child,
    firstLine,
    ready: async () => JSON.parse(await firstLine) as Record<string, string>,
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, errors })),
  };
}

function get(url: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (data) => {
        text += String(data);
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('starting', () => {
  it('prints one line when it is ready, serves, and ends cleanly on SIGTERM [RUN-1] [RUN-3]', async () => {
    const dataDir = temporaryFolder();
    const program = run('serve', '--data-dir', dataDir, '--port', '0');
    const line = await program.ready();
    expect(line).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      mcp_url: `${line['url']}/mcp`,
      data_dir: dataDir,
      pid: program.child.pid,
    });
    expect((await get(`${line['url']}/health`)).text).toBe('{"status":"ok"}');
    expect((await get(`${line['url']}/health`, { host: 'evil.example' })).status).toBe(403);
    const token = await run('token', '--data-dir', dataDir).firstLine;
    const me = await get(`${line['url']}/api/v1/auth/me`, { authorization: `Bearer ${token}` });
    expect(me.status).toBe(200);
    program.child.kill('SIGTERM');
    expect((await program.ended).code).toBe(0);
  });

  it('prints a link that signs a browser in, once, beside the line of JSON [RUN-4]', async () => {
    const program = run('serve', '--data-dir', temporaryFolder(), '--port', '0');
    const { url } = await program.ready();
    program.child.kill('SIGTERM');
    const { errors } = await program.ended;
    expect(errors).toMatch(new RegExp(`^Open the workbench .*: ${url}/app/#login=[\\w-]{32}\n$`));
  });

  it('refuses a data folder in use with exit 97 and the address, and takes it after a kill [RUN-2]', async () => {
    const dataDir = temporaryFolder();
    const first = run('serve', '--data-dir', dataDir, '--port', '0');
    const { url } = await first.ready();
    const second = await run('serve', '--data-dir', dataDir, '--port', '0').ended;
    expect(second.code).toBe(97);
    expect(second.errors).toContain(url);
    first.child.kill('SIGKILL');
    await first.ended;
    const third = run('serve', '--data-dir', dataDir, '--port', '0');
    expect((await get(`${(await third.ready())['url']}/ready`)).status).toBe(200);
  });

  it('refuses a busy port with exit 98 and never takes another [RUN-2]', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const ended = await run('serve', '--data-dir', temporaryFolder(), '--port', String(port)).ended;
    expect([ended.code, ended.errors]).toEqual([98, expect.stringContaining(String(port))]);
  });

  it('reads flags before environment and explains wrong ones [RUN-5]', () => {
    const line = readCommandLine(['serve', '--port', '0'], { WORKBENCH_PORT: '99', WORKBENCH_DATA_DIR: '/data' });
    expect(line).toMatchObject({ command: 'serve', options: { port: 0, dataDir: '/data', synchronous: 'FULL' } });
    for (const args of [['--port', '0x10'], ['--port', '70000'], ['--synchronous', 'OFF'], ['fly'], ['--what']]) {
      expect(() => readCommandLine(args, {})).toThrow(StartError);
    }
    for (const command of ['help', 'version']) expect(readCommandLine([`--${command}`], {})).toEqual({ command });
  });

  it('signs a browser in through its login link [RUN-4]', async () => {
    const workbench = await startWorkbench({
      dataDir: temporaryFolder(),
      port: 0,
      rendererDir: null,
      logLevel: 'silent',
    });
    onTestFinished(() => workbench.close());
    expect(await workbench.loginLink()).toMatch(new RegExp(`^${workbench.url}/app/#login=[\\w-]{32}$`));
    const me = await fetch(`${workbench.url}/api/v1/auth/me`, {
      headers: { authorization: `Bearer ${await workbench.issueSession()}` },
    });
    expect(me.status).toBe(200);
  });

  it('answers what is not HTTP in the envelope', async () => {
    const workbench = await startWorkbench({
      dataDir: temporaryFolder(),
      port: 0,
      rendererDir: null,
      logLevel: 'silent',
    });
    onTestFinished(() => workbench.close());
    const { connect } = await import('node:net');
    const socket = connect(Number(new URL(workbench.url).port), '127.0.0.1');
    socket.end('NONSENSE\r\n\r\n');
    let text = '';
    for await (const data of socket) text += String(data);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '').error.code).toBe('bad_request');
  });
});

describe('a start that fails half-way', () => {
  // What repeats for as long as the program runs is counted, and never comes due.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  const quiet = { port: 0, rendererDir: null, logLevel: 'silent' } as const;
  const open = (dataDir: string, rendererDir: string | null = null) =>
    openWorkbench(completeOptions({ ...quiet, dataDir, rendererDir }), systemClock, pino({ level: 'silent' }));
  /** SQLite removes the write-ahead log when the last connection is closed. */
  const isDatabaseOpen = (dataDir: string) => existsSync(path.join(dataDir, 'workbench.db-wal'));

  it('leaves nothing open when what an earlier run left cannot be recovered', async () => {
    const dataDir = temporaryFolder();
    const before = await open(dataDir);
    const { token } = await before.deps.auth.issuer.issue();
    await makeType(callerOf(before.app, { authorization: `Bearer ${token}` }));
    const { db, store } = before.deps;
    const made = db.prepare<[], { id: string; organisationId: string }>(
      'SELECT id, organisation_id AS organisationId FROM decision_types',
    );
    const { id, organisationId } = made.get() ?? expect.fail('the type is missing');
    const type = store.decisionTypes.get(id, organisationId) ?? expect.fail('the type is missing');
    const policyId = store.trainingRuns.queue(type, trainingConfigSchema.parse({}), { tool: '1', node: '1' });
    store.trainingRuns.begin(policyId, type);
    db.exec(
      `CREATE TRIGGER refuse BEFORE UPDATE OF status ON policies BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
    );
    expect([vi.getTimerCount() > 0, isDatabaseOpen(dataDir)]).toEqual([true, true]);
    await before.close();
    expect([vi.getTimerCount(), isDatabaseOpen(dataDir)]).toEqual([0, false]);

    await expect(open(dataDir)).rejects.toThrow('the disk is full');
    expect([vi.getTimerCount(), isDatabaseOpen(dataDir)]).toEqual([0, false]);
  });

  it('leaves nothing open when the HTTP application cannot be made', async () => {
    const dataDir = temporaryFolder();
    const rendererDir = temporaryFolder();
    writeFileSync(path.join(rendererDir, 'index.html'), '<!doctype html>');
    await expect(open(dataDir, path.relative(process.cwd(), rendererDir))).rejects.toThrow('absolute path');
    expect([vi.getTimerCount(), isDatabaseOpen(dataDir)]).toEqual([0, false]);
  });

  it('leaves nothing open and frees the data folder when the port is busy', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const dataDir = temporaryFolder();
    await expect(startWorkbench({ ...quiet, dataDir, port })).rejects.toMatchObject({ kind: 'port' });
    expect([vi.getTimerCount(), isDatabaseOpen(dataDir)]).toEqual([0, false]);
    const workbench = await startWorkbench({ ...quiet, dataDir });
    await workbench.close();
    expect([vi.getTimerCount(), isDatabaseOpen(dataDir)]).toEqual([0, false]);
  });
});

describe('the pages', () => {
  it('are served below /app/ with their own headers', async () => {
    const rendererDir = temporaryFolder();
    writeFileSync(path.join(rendererDir, 'index.html'), '<!doctype html><title>built</title>');
    writeFileSync(path.join(rendererDir, 'main.js'), 'void 0;');
    const { app } = await openForTest({ rendererDir });
    const page = await callerOf(app, {})('GET', '/app/');
    expect([page.status, page.text]).toEqual([200, '<!doctype html><title>built</title>']);
    const script = await callerOf(app, {})('GET', '/app/main.js');
    expect(script.headers).toMatchObject({ 'content-type': expect.stringContaining('javascript') });
    expect(script.headers['content-security-policy']).toContain("default-src 'none'");
    const missing = await callerOf(app, {})('GET', '/app/../package.json');
    expect([missing.status, missing.body.error.code]).toEqual([404, 'not_found']);
  });
});

describe('the data file', () => {
  it('is durable by default, as the connection itself says', async () => {
    const full = await openForTest();
    const pragma = (db: typeof full.deps.db, name: string) => db.pragma(name, { simple: true });
    expect(pragma(full.deps.db, 'synchronous')).toBe(2);
    expect(pragma(full.deps.db, 'journal_mode')).toBe('wal');
    expect(pragma(full.deps.db, 'foreign_keys')).toBe(1);
    const normal = await openForTest({ synchronous: 'NORMAL' });
    expect(pragma(normal.deps.db, 'synchronous')).toBe(1);
    const version = String(full.deps.db.prepare('SELECT sqlite_version()').pluck().get()).split('.').map(Number);
    expect(version[0]! * 1e6 + version[1]! * 1e3 + version[2]!).toBeGreaterThanOrEqual(3_051_003);
  });

  it('is left untouched when it is damaged or of a newer program', () => {
    const folder = temporaryFolder();
    const damaged = path.join(folder, 'damaged.db');
    writeFileSync(damaged, 'this is not a database, it only has the name of one. '.repeat(100));
    const before = readFileSync(damaged);
    expect(() => openDatabase(damaged, { synchronous: 'FULL', migrations: [] })).toThrow(/damaged/);
    expect(readFileSync(damaged).equals(before)).toBe(true);
    const newer = path.join(folder, 'newer.db');
    const db = new Database(newer);
    db.exec('CREATE TABLE future (x); PRAGMA user_version = 99');
    db.close();
    expect(() => openDatabase(newer, { synchronous: 'FULL', migrations: [] })).toThrow(/newer program/);
  });

  it('takes all its migrations or none', () => {
    const file = path.join(temporaryFolder(), 'data.db');
    const good = { version: 1, sql: 'CREATE TABLE a (x)' };
    const bad = { version: 2, sql: 'CREATE TABLE b (x); CREATE TABLE a (x)' };
    expect(() => openDatabase(file, { synchronous: 'FULL', migrations: [good, bad] })).toThrow(/already exists/);
    const untouched = new Database(file);
    expect(untouched.pragma('user_version', { simple: true })).toBe(0);
    untouched.close();
    const db = openDatabase(file, { synchronous: 'FULL', migrations: [good] });
    expect(db.pragma('user_version', { simple: true })).toBe(1);
    expect(db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()).toEqual(['a']);
    db.close();
  });
});
