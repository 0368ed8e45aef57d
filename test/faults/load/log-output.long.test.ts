/** The program's log has nowhere to go: callers must not notice. */
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deployForAll, loanExamples, loanType, temporaryFolder } from '../../server/workbench.ts';
import { callAlone, type ServerProcess, startServerProcess } from '../tools/server-process.ts';

const folder = deployForAll(loanType, loanExamples(40));

/** A data folder in which no example can be stored: every attempt is a fault that is logged. */
function makeFaultyFolder(): string {
  const dataDir = folder.copy();
  const db = new Database(path.join(dataDir, 'workbench.db'));
  db.exec(`CREATE TRIGGER refuse BEFORE INSERT ON examples BEGIN SELECT RAISE(ABORT, 'no example is stored'); END`);
  db.close();
  return dataDir;
}

async function start(...[dataDir, options]: Parameters<typeof startServerProcess>): Promise<ServerProcess> {
  const server = await startServerProcess(dataDir, options);
  onTestFinished(() => server.end('SIGKILL').then(() => undefined));
  return server;
}

const call = ({ port }: ServerProcess, url: string, body?: object) =>
  callAlone(port, body === undefined ? 'GET' : 'POST', url, `Bearer ${folder.key}`, body);

async function expectFault(server: ServerProcess): Promise<void> {
  const example = { input: { amount: Math.random() }, decision: 'approve' };
  const { status, body } = await call(server, `${folder.url}/examples`, { examples: [example] });
  expect([status, body]).toEqual([500, { error: { code: 'internal_error', message: expect.any(String) } }]);
}

const decide = (server: ServerProcess) =>
  call(server, '/api/v1/decide', { decision_type: 'loan', input: { amount: 60_000 } });

describe('a log that cannot be written', () => {
  it('because its disk is full changes no answer', async () => {
    const full = openSync('/dev/full', 'w');
    const server = await start(makeFaultyFolder(), { stderr: full });
    closeSync(full);
    for (let fault = 0; fault < 5; fault += 1) await expectFault(server);
    expect((await decide(server)).status).toBe(200);
    expect((await server.end()).code).toBe(0);
  });

  it('because its disk is full does not keep the program from starting with a fault to report', async () => {
    const dataDir = folder.copy();
    rmSync(path.join(dataDir, 'artifacts'), { recursive: true });
    const full = openSync('/dev/full', 'w');
    const server = await start(dataDir, { stderr: full });
    closeSync(full);
    expect((await call(server, '/health')).status).toBe(200);
  });

  it('because its reader is gone changes no answer', async () => {
    const server = await start(makeFaultyFolder(), { stderr: 'pipe' });
    server.child.stderr?.destroy();
    for (let fault = 0; fault < 5; fault += 1) await expectFault(server);
    expect((await decide(server)).status).toBe(200);
    expect((await server.end()).code).toBe(0);
  });

  it('because its reader stands still changes no answer, and says later how much is missing', async () => {
    const server = await start(makeFaultyFolder(), { stderr: 'pipe' });
    // Each fault is about 1 kB of log: twice what the program keeps for a reader that stands still.
    for (let round = 0; round < 200; round += 1) {
      await Promise.all(Array.from({ length: 10 }, () => expectFault(server)));
    }
    let log = '';
    server.child.stderr?.on('data', (data) => {
      log += String(data);
    });
    await expect
      .poll(async () => {
        await expectFault(server);
        return log;
      })
      .toMatch(/"msg":"\d+ lines of the log were lost\."/);
  });
});

describe('a fault in a timer that nobody waits for', () => {
  it('is logged, and the service goes on', async () => {
    const faulty = path.join(temporaryFolder(), 'faulty-timer.mjs');
    writeFileSync(
      faulty,
      `process.on('SIGUSR2', () => setTimeout(async () => { throw new Error('the timer broke'); }));`,
    );
    const server = await start(folder.copy(), { stderr: 'pipe', nodeFlags: ['--import', faulty] });
    let log = '';
    server.child.stderr?.on('data', (data) => {
      log += String(data);
    });
    server.child.kill('SIGUSR2');
    await expect.poll(() => log).toContain('the timer broke');
    expect((await decide(server)).status).toBe(200);
    expect((await server.end()).code).toBe(0);
  });
});
