/** Backups: written while the service works, checked, and made a data folder again. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runDataCommand } from '../../../src/server/data-commands.ts';
import { Caretaker } from '../../../src/server/data-folder/caretaker.ts';
import { systemClock } from '../../../src/server/process/clock.ts';
import { spawnChild } from '../../../src/server/process/spawn-child.ts';
import { StartError } from '../../../src/server/process/start-error.ts';
import { readCommandLine } from '../../../src/server/serve.ts';
import { callerOf, deployForAll, loanExamples, loanType, openForTest, temporaryFolder } from '../workbench.ts';

const entry = path.join(import.meta.dirname, '../../../src/server/serve.ts');
const loan = { decision_type: 'loan', input: { applicant: { score: 700 }, amount: 2_000 } };
const backups = '/api/v1/backups';

const trained = deployForAll(loanType, loanExamples(40));

/** Runs one command of the program to its end. */
function run(...args: string[]): { code: number | null; output: string; errors: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...args], { encoding: 'utf8' });
  return { code: status, output: stdout.trim(), errors: stderr.trim() };
}

/** Changes one byte in the middle of a file. */
function spoil(file: string): void {
  const bytes = readFileSync(file);
  const middle = bytes.length >> 1;
  bytes[middle] = (bytes[middle] ?? 0) ^ 0xff;
  writeFileSync(file, bytes);
}

describe('a backup under load', () => {
  it('is one moment of the service: after the restore the ledger is the log, and old keys work [DAT-7] [DAT-8]', async () => {
    const dataDir = trained.copy();
    const { call } = await openForTest({ dataDir });
    let acknowledged = 0;
    let isOver = false;
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) if ((await call('POST', '/api/v1/decide', loan)).status === 200) acknowledged += 1;
    });
    await expect.poll(() => acknowledged).toBeGreaterThan(50);
    const before = acknowledged;
    const made = await call('POST', backups, { with_secrets: true });
    const after = acknowledged;
    isOver = true;
    await Promise.all(load);
    expect([made.status, made.body]).toEqual([
      201,
      {
        name: expect.stringMatching(/^backup-[\dTZ-]+$/),
        created_at: expect.any(String),
        size_bytes: expect.any(Number),
        files: 5,
        with_secrets: true,
      },
    ]);
    expect(after).toBeGreaterThan(before);
    expect((await call('GET', backups)).body).toEqual([made.body]);

    const restored = path.join(temporaryFolder(), 'restored');
    const backup = path.join(dataDir, 'backups', made.body.name);
    expect(run('restore', backup, '--data-dir', restored)).toMatchObject({ code: 0, errors: '' });
    const { app } = await openForTest({ dataDir: restored });
    const client = callerOf(app, { authorization: `Bearer ${trained.key}` });
    const logged = (await client('GET', `${trained.url}/logs`)).body.total;
    const charged = (await client('GET', '/api/v1/credits/usage?operation=decision')).body.total;
    expect(charged).toBe(logged);
    expect(logged).toBeGreaterThanOrEqual(before);
    expect(logged).toBeLessThanOrEqual(after + 4);
    expect((await client('POST', '/api/v1/decide', loan)).status).toBe(200);
  });

  it('is the only one at its time, and the owner alone may ask for it [DAT-7]', async () => {
    const dataDir = trained.copy();
    const { app, call } = await openForTest({ dataDir });
    const both = await Promise.all([call('POST', backups), call('POST', backups)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(readdirSync(path.join(dataDir, 'backups'))).toHaveLength(1);
    const client = callerOf(app, { authorization: `Bearer ${trained.key}` });
    expect((await client('POST', backups)).status).toBe(403);
    expect((await client('GET', backups)).status).toBe(403);
  });

  it('is verified and made a new data folder by the service, which overwrites nothing [DAT-9]', async () => {
    const dataDir = trained.copy();
    const { app, call } = await openForTest({ dataDir });
    const { name } = (await call('POST', backups, { with_secrets: true })).body;
    const url = `${backups}/${name}`;
    expect((await call('POST', `${url}/verify`)).body).toEqual({ name, problems: [] });
    const folder = path.join(temporaryFolder(), 'restored');
    expect(await call('POST', `${url}/restore`, { folder })).toMatchObject({ status: 201, body: { folder } });
    const { app: restored } = await openForTest({ dataDir: folder });
    const client = callerOf(restored, { authorization: `Bearer ${trained.key}` });
    expect((await client('POST', '/api/v1/decide', loan)).status).toBe(200);

    const again = await call('POST', `${url}/restore`, { folder });
    expect([again.status, again.body.error.message]).toEqual([
      409,
      `There is something at ${folder} already. A backup is restored into a new folder only.`,
    ]);
    expect((await call('POST', `${url}/restore`, { folder: 'somewhere' })).body.error.details).toEqual([
      { type: 'invalid_value', loc: ['body', 'folder'], msg: 'must be an absolute path' },
    ]);
    const below = path.join(folder, 'workbench.db', 'restored');
    const failed = await call('POST', `${url}/restore`, { folder: below });
    expect([failed.status, failed.body.error.message]).toEqual([503, expect.stringContaining('ENOTDIR')]);
    spoil(path.join(dataDir, 'backups', name, 'workbench.db'));
    expect((await call('POST', `${url}/verify`)).body.problems).toEqual([
      expect.stringMatching(/workbench\.db is not as it was written\.$/),
    ]);
    const other = path.join(temporaryFolder(), 'restored');
    expect((await call('POST', `${url}/restore`, { folder: other })).status).toBe(409);
    expect(existsSync(other)).toBe(false);
    expect((await call('POST', `${backups}/backup-1/verify`)).status).toBe(404);
    expect((await call('POST', `${backups}/${encodeURIComponent('../x')}/verify`)).status).toBe(422);
    const stranger = callerOf(app, { authorization: `Bearer ${trained.key}` });
    expect((await stranger('POST', `${url}/verify`)).status).toBe(403);
    expect((await stranger('POST', `${url}/restore`, { folder: other })).status).toBe(403);
  });

  it('is absent when it could not be finished, and the service says so [DAT-7]', async () => {
    const dataDir = trained.copy();
    mkdirSync(path.join(dataDir, 'backups', 'backup-cut-off.part'), { recursive: true });
    const { call } = await openForTest({
      dataDir,
      spawnChild(name, options) {
        const child = spawnChild(name, options);
        if (name === 'data-child') child.kill('SIGKILL');
        return child;
      },
    });
    expect(await call('POST', backups)).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect((await call('GET', backups)).body).toEqual([]);
    expect(readdirSync(path.join(dataDir, 'backups'))).toEqual([]);
  });
});

describe('the care for a data folder', () => {
  it('makes a backup a day by itself, keeps the newest and every one made by hand [DAT-10]', async () => {
    const dataDir = trained.copy();
    let nowMs = Date.UTC(2026, 4, 1);
    const options = { dataDir, toolVersion: '1', spawn: spawnChild, log: pino({ level: 'silent' }), isChecked: true };
    const clock = { ...systemClock, now: () => nowMs };
    const caretaker = new Caretaker({ ...options, clock, dailyBackups: 2 });
    onTestFinished(() => caretaker.close());
    const list = () => caretaker.listBackups().map(({ name }) => name.replace(/^backup-2026-05-(\d\d)\S*?Z/, '$1'));
    await caretaker.backUp(false);
    await caretaker.backUpDaily();
    expect(list()).toEqual(['01']);
    for (let day = 2; day <= 5; day += 1) {
      nowMs += 86_400_000;
      await caretaker.backUpDaily();
      // An hour later there is one of today.
      nowMs += 3_600_000;
      await caretaker.backUpDaily();
      nowMs -= 3_600_000;
    }
    expect(list()).toEqual(['05-daily', '04-daily', '01']);
    expect(await caretaker.verify(caretaker.listBackups()[0]?.name ?? '')).toEqual([]);
  });

  it('is one thing at a time, and touches nothing beside the folder that it makes [DAT-7] [DAT-9]', async () => {
    const { call, dataDir } = await openForTest({ dataDir: trained.copy() });
    const { name } = (await call('POST', backups)).body;
    const place = temporaryFolder();
    const folder = path.join(place, 'restored');
    mkdirSync(`${folder}.part`);
    writeFileSync(path.join(`${folder}.part`, 'precious'), '');
    const busy = { code: 'conflict', message: 'A backup is being written, read or restored. Wait until that is done.' };
    const restore = () => call('POST', `${backups}/${name}/restore`, { folder: `${folder}/` });
    const verify = () => call('POST', `${backups}/${name}/verify`);
    for (const [ask, status, body] of [
      [restore, 201, { folder: `${folder}/` }],
      [verify, 200, { name, problems: [] }],
    ] as const) {
      const answers = await Promise.all([ask(), ask(), ask()]);
      const all = answers.sort((one, other) => one.status - other.status).map((each) => [each.status, each.body]);
      expect(all).toEqual([[status, body], ...[1, 2].map(() => [409, { error: busy }])]);
    }
    expect(readdirSync(folder).sort()).toEqual(['artifacts', 'data-folder.json', 'workbench.db']);
    expect(run('verify', '--data-dir', folder).code).toBe(0);
    expect(run('backup', '--data-dir', dataDir, '--to', path.join(place, 'other'))).toMatchObject({ code: 0 });
    expect(readdirSync(place).sort()).toEqual(['other', 'restored', 'restored.part']);
    expect(readdirSync(`${folder}.part`)).toEqual(['precious']);
  });

  it.skipIf(process.platform === 'win32')(
    'ends after its time and with its parent, although a disk stands still [DAT-7]',
    { timeout: 600_000 },
    async () => {
      const dataDir = trained.copy();
      const bundle = path.join(dataDir, 'artifacts', `${trained.policyId}.zip`);
      rmSync(bundle);
      spawnSync('mkfifo', [bundle]);
      const log = pino({ level: 'silent' });
      const options = {
        ...{ dataDir, toolVersion: '1', spawn: spawnChild, clock: systemClock, log },
        ...{ isChecked: true, dailyBackups: 0 },
      };
      const caretaker = new Caretaker({ ...options, maxWorkMs: 8_000 });
      onTestFinished(() => caretaker.close());
      const message = 'The process that reads the data ended early (after 8 s). Ask again.';
      await expect(caretaker.backUp(false)).rejects.toMatchObject({ code: 'unavailable', message });
      expect(readdirSync(path.join(dataDir, 'backups'))).toEqual([]);

      const child = spawnChild('data-child', { heapMb: 256 });
      onTestFinished(() => void child.kill('SIGKILL'));
      const ended = once(child, 'exit');
      child.send({ kind: 'order', id: 1, name: 'check', input: { dataDir } });
      // A pipe can be opened for writing once somebody waits to read from it.
      let writeEnd = -1;
      const open = () => {
        writeEnd = openSync(bundle, constants.O_WRONLY | constants.O_NONBLOCK);
        return writeEnd;
      };
      await expect.poll(open).toBeGreaterThan(0);
      onTestFinished(() => closeSync(writeEnd));
      child.disconnect();
      expect(await ended).toEqual([null, 'SIGKILL']);
    },
  );

  it('takes a list of files that says nothing, and links, for damage [DAT-8] [DAT-9]', async () => {
    const { call, dataDir } = await openForTest({ dataDir: trained.copy() });
    const names: string[] = [];
    for (let each = 0; each < 4; each += 1) names.push((await call('POST', backups)).body.name);
    const [sound = '', unreadable = '', empty = '', linked = ''] = names;
    const inside = (name: string, file: string) => path.join(dataDir, 'backups', name, file);
    rmSync(inside(unreadable, 'manifest.json'));
    // Reading it would wait until somebody writes.
    spawnSync('mkfifo', [inside(unreadable, 'manifest.json')]);
    const list = JSON.parse(readFileSync(inside(empty, 'manifest.json'), 'utf8'));
    writeFileSync(inside(empty, 'manifest.json'), JSON.stringify({ ...list, files: [] }));
    renameSync(inside(linked, 'workbench.db'), path.join(dataDir, 'elsewhere.db'));
    symlinkSync(path.join(dataDir, 'elsewhere.db'), inside(linked, 'workbench.db'));

    const listed = (await call('GET', backups)).body.map(({ name }: { name: string }) => name);
    expect(listed.sort()).toEqual([sound, empty, linked].sort());
    const problemsOf = async (name: string) => (await call('POST', `${backups}/${name}/verify`)).body.problems;
    expect(await problemsOf(sound)).toEqual([]);
    const manifest = (name: string) => inside(name, 'manifest.json');
    expect(await problemsOf(unreadable)).toEqual([`The manifest ${manifest(unreadable)} is missing or damaged.`]);
    expect(await problemsOf(empty)).toEqual([`The manifest ${manifest(empty)} names no database.`]);
    expect(await problemsOf(linked)).toEqual([`The file ${inside(linked, 'workbench.db')} is not as it was written.`]);
    const folder = path.join(temporaryFolder(), 'restored');
    for (const name of [unreadable, empty, linked]) {
      expect((await call('POST', `${backups}/${name}/restore`, { folder })).status).toBe(409);
      expect(existsSync(folder)).toBe(false);
    }
  });
});

describe('the commands', () => {
  it('back up, check and restore a folder without secrets; nothing is overwritten [DAT-8]', async () => {
    const dataDir = trained.copy();
    const place = temporaryFolder();
    const backup = path.join(place, 'backup');
    expect(run('backup', '--data-dir', dataDir, '--to', backup)).toEqual({ code: 0, output: backup, errors: '' });
    expect(readdirSync(backup).sort()).toEqual(['artifacts', 'data-folder.json', 'manifest.json', 'workbench.db']);
    const modes = [backup, path.join(backup, 'workbench.db')].map((file) => (statSync(file).mode & 0o777).toString(8));
    expect(modes).toEqual(['700', '600']);
    expect(run('backup', '--data-dir', dataDir, '--to', backup)).toMatchObject({ code: 1 });
    expect(run('verify', backup)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/is sound\. The head of its log is \d+\.\d+:[0-9a-f]{64}\.$/),
    });
    expect(run('verify', '--data-dir', dataDir)).toMatchObject({ code: 0 });

    const refused = run('restore', backup, '--data-dir', dataDir);
    expect(refused).toMatchObject({ code: 1, errors: expect.stringMatching(/^There is something at .* already\./) });
    const restored = path.join(place, 'restored');
    expect(run('restore', backup, '--data-dir', restored)).toMatchObject({ code: 0 });
    const { app, call } = await openForTest({ dataDir: restored });
    expect((await call('POST', '/api/v1/decide', loan)).status).toBe(200);
    const client = callerOf(app, { authorization: `Bearer ${trained.key}` });
    expect((await client('POST', '/api/v1/decide', loan)).status).toBe(401);
  });

  it('find what is damaged, and restore nothing of it [DAT-8]', () => {
    const place = temporaryFolder();
    const dataDir = trained.copy();
    const bundle = path.join('artifacts', `${trained.policyId}.zip`);
    for (const name of ['workbench.db', bundle]) {
      const backup = path.join(place, path.basename(name));
      run('backup', '--data-dir', dataDir, '--to', backup);
      spoil(path.join(backup, name));
      const sentence = `The file ${path.join(backup, name)} is not as it was written.`;
      expect(run('verify', backup)).toEqual({ code: 1, output: '', errors: sentence });
      const restored = path.join(place, 'restored');
      const refused = run('restore', backup, '--data-dir', restored);
      expect(refused).toMatchObject({ code: 1, errors: `The backup was not restored. ${sentence}` });
      expect(existsSync(restored)).toBe(false);
    }
    rmSync(path.join(dataDir, bundle));
    writeFileSync(path.join(dataDir, 'secrets', 'key-hmac'), '');
    const { code, errors } = run('verify', '--data-dir', dataDir);
    expect([code, errors.split('\n')]).toEqual([
      1,
      [
        `The bundle ${path.join(dataDir, bundle)} of a trained policy is missing.`,
        `The secret ${path.join(dataDir, 'secrets', 'key-hmac')} is damaged.`,
      ],
    ]);
    expect(run('verify', place)).toMatchObject({ code: 1, errors: expect.stringMatching(/manifest/) });
    expect(run('backup', '--data-dir', path.join(place, 'nowhere'))).toMatchObject({ code: 1 });
    expect(existsSync(path.join(place, 'nowhere'))).toBe(false);
  });

  it('are read from the command line, and wrong ones are explained [RUN-5] [DAT-8]', () => {
    const home = { WORKBENCH_DATA_DIR: '/data' };
    const read = (...args: string[]) => readCommandLine(args, home);
    expect(read('backup')).toEqual({ command: 'backup', dataDir: '/data', target: null, withSecrets: false });
    expect(read('backup', '--to', '/b', '--with-secrets')).toMatchObject({ target: '/b', withSecrets: true });
    expect(read('verify')).toEqual({ command: 'verify', backup: null, dataDir: '/data' });
    expect(read('restore', '/b')).toEqual({ command: 'restore', backup: '/b', dataDir: '/data' });
    expect(() => readCommandLine(['restore', '/b'], {})).toThrow(StartError);
    expect(() => read('restore')).toThrow(StartError);
    expect(() => read('backup', '/b')).toThrow(StartError);
  });
});

describe('damage to the data', () => {
  it('in a page of zeros is found at the start, which names the backup and how to restore it [DAT-6]', async () => {
    const dataDir = trained.copy();
    const older = runDataCommand({ command: 'backup', dataDir, target: null, withSecrets: true }, 1_000);
    const newest = runDataCommand({ command: 'backup', dataDir, target: null, withSecrets: true }, 90_000_000);
    const file = path.join(dataDir, 'workbench.db');
    const bytes = readFileSync(file);
    bytes.fill(0, 4_096 * Math.floor(bytes.length / 8_192), 4_096 * Math.floor(bytes.length / 8_192) + 4_096);
    writeFileSync(file, bytes);
    await expect(openForTest({ dataDir })).rejects.toMatchObject({
      kind: 'data',
      message: expect.stringContaining(`workbench restore ${newest} --data-dir NEW`),
    });
    expect(readFileSync(file).equals(bytes)).toBe(true);
    const again = path.join(temporaryFolder(), 'again');
    runDataCommand({ command: 'restore', backup: newest, dataDir: again }, 0);
    const { call } = await openForTest({ dataDir: again });
    expect((await call('GET', '/api/v1/decision-types')).body.items).toHaveLength(1);
    expect(older).not.toBe(newest);
  });

  it('in its pages ends the start with a sentence, and changes nothing [DAT-6]', async () => {
    const dataDir = trained.copy();
    const file = path.join(dataDir, 'workbench.db');
    const bytes = readFileSync(file);
    for (let page = 5; page * 4_096 < bytes.length; page += 7) bytes.fill(0xff, page * 4_096, page * 4_096 + 8);
    writeFileSync(file, bytes);
    await expect(openForTest({ dataDir })).rejects.toMatchObject({
      kind: 'data',
      message: expect.stringMatching(/is damaged/),
    });
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it('that comes later is found by the check of the day, and reported [DAT-6]', async () => {
    const dataDir = trained.copy();
    const { app, deps, call } = await openForTest({ dataDir });
    const ready = async () => (await callerOf(app, {})('GET', '/ready')).body;
    await deps.caretaker.check();
    expect(await ready()).toMatchObject({ status: 'ready', integrity: 'ok' });
    const db = new Database(path.join(dataDir, 'workbench.db'));
    db.pragma('foreign_keys = OFF');
    db.exec('DELETE FROM decision_type_versions');
    db.close();
    await deps.caretaker.check();
    expect(await ready()).toMatchObject({ status: 'degraded', integrity: 'damaged' });
    expect((await call('GET', '/health')).status).toBe(200);
  });
});
