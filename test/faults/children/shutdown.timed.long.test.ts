/** The program is told to end while its clients stall. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deployForAll, loanExamples, loanType } from '../../server/workbench.ts';
import { callAlone, openStubborn, type ServerProcess, startServerProcess } from '../tools/server-process.ts';

const maxEndMs = 5_000;
/** The heap of the program breathes by less. */
const maxGrowthMb = 40;
const folder = deployForAll(loanType, loanExamples(40));

async function start(dataDir: string): Promise<ServerProcess> {
  const server = await startServerProcess(dataDir);
  onTestFinished(() => server.end('SIGKILL').then(() => undefined));
  return server;
}

const toHead = ({ port }: ServerProcess, line: string) =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${folder.key}\r\n`;
const decideBody = (note: string) => JSON.stringify({ decision_type: 'loan', input: { amount: 60_000, note } });
const decide = ({ port }: ServerProcess, note = '') =>
  callAlone(port, 'POST', '/api/v1/decide', `Bearer ${folder.key}`, JSON.parse(decideBody(note)));
const toPost = (server: ServerProcess, body: string) =>
  `${toHead(server, 'POST /api/v1/decide')}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;

/** A client that asks for something and reads the beginning of the answer only. */
async function stallReader(server: ServerProcess, path: string): Promise<void> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(`${toHead(server, `GET ${path}`)}\r\n`);
  await once(socket, 'readable');
  expect(String(socket.read())).toMatch(/^HTTP\/1\.1 200 /);
  socket.pause();
  onTestFinished(() => void socket.destroy());
}

/** A client that asks for a long log and reads nothing of it. */
async function stallExport(server: ServerProcess): Promise<void> {
  const filled = await Promise.all(Array.from({ length: 40 }, () => decide(server, 'x'.repeat(400_000))));
  expect(new Set(filled.map(({ status }) => status))).toEqual(new Set([200]));
  await stallReader(server, `${folder.url}/logs/export?format=csv`);
}

/** Resolves when the listener takes no more connections. */
async function untilDeaf({ port }: ServerProcess): Promise<void> {
  await expect
    .poll(
      async () => {
        const socket = connect(port, '127.0.0.1');
        const heard = await Promise.race([once(socket, 'connect'), once(socket, 'error')]).catch(() => ['refused']);
        socket.destroy();
        return heard.length > 0;
      },
      { interval: 20 },
    )
    .toBe(true);
}

async function stall(server: ServerProcess): Promise<void> {
  await stallExport(server);
  await stallReader(server, '/api/v1/events');
  const body = decideBody('');
  const clients = await Promise.all([
    openStubborn(server.port, `${toPost(server, body)}${body.slice(0, 10)}`),
    openStubborn(server.port, 'x\r\n\r\n'),
    openStubborn(server.port, ''),
    openStubborn(server.port, `${toHead(server, 'GET /health')}X-Slow: `),
  ]);
  onTestFinished(() => {
    for (const client of clients) client.destroy();
  });
}

describe('a program that is told to end', () => {
  it('ends within five seconds although its clients stall, and keeps every decision that it answered', async () => {
    const dataDir = folder.copy();
    const server = await start(dataDir);
    await stall(server);
    let answered = 40;
    let isOpen = true;
    const callers = Array.from({ length: 4 }, async () => {
      while (isOpen) {
        const status = await decide(server).then(
          (answer) => answer.status,
          () => 0,
        );
        if (status === 200) answered += 1;
        else isOpen = false;
      }
    });
    await expect.poll(() => answered).toBeGreaterThan(60);
    const { code, tookMs } = await server.end();
    await Promise.all(callers);
    expect([code, tookMs < maxEndMs]).toEqual([0, true]);

    const again = await start(dataDir);
    const log = await callAlone(again.port, 'GET', `${folder.url}/logs?page_size=1`, `Bearer ${folder.key}`);
    // An answer that was cut off on its way may have been recorded; none that arrived is missing.
    expect(log.body.total).toBeGreaterThanOrEqual(answered);
    expect(log.body.total).toBeLessThanOrEqual(answered + callers.length);
    expect((await again.end()).code).toBe(0);
  });

  it('ends at once when it is told so a second time, and leaves the data folder free', async () => {
    const dataDir = folder.copy();
    const server = await start(dataDir);
    await stall(server);
    const exit = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    await untilDeaf(server);
    const started = performance.now();
    server.child.kill('SIGTERM');
    const [code] = await exit;
    expect([code, performance.now() - started < 1_000]).toEqual([143, true]);
    const again = await start(dataDir);
    expect((await decide(again)).status).toBe(200);
  });

  it('answers the request under way, and refuses the next one on its connection', async () => {
    const server = await start(folder.copy());
    const body = decideBody('');
    const socket = await openStubborn(server.port, `${toPost(server, body)}${body.slice(0, 10)}`);
    onTestFinished(() => void socket.destroy());
    await decide(server);
    const exit = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    await untilDeaf(server);
    let text = '';
    socket.on('data', (data) => {
      text += String(data);
    });
    const closed = Promise.race([once(socket, 'end'), once(socket, 'close')]);
    socket.write(`${body.slice(10)}${toHead(server, 'GET /health')}\r\n`);
    await closed;
    const [first = '', second = ''] = text.split(/(?=HTTP\/1\.1 )/);
    expect(first).toMatch(/^HTTP\/1\.1 200 /);
    expect(second).toMatch(/^HTTP\/1\.1 503 /);
    expect(second.toLowerCase()).toContain('connection: close');
    expect(JSON.parse(second.slice(second.indexOf('{')))).toMatchObject({ error: { code: 'unavailable' } });
    socket.destroy();
    expect((await exit)[0]).toBe(0);
  });
});

describe('a reader of events that stands still', () => {
  /** Decides `count` times, 16 calls at a time, and returns the megabytes that the program has resident afterwards. */
  async function decideMany(server: ServerProcess, count: number): Promise<number> {
    for (let done = 0; done < count; done += 16) {
      const answers = await Promise.all(Array.from({ length: 16 }, () => decide(server)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    }
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))?.[1]) / 1024;
  }

  it.skipIf(process.platform !== 'linux')(
    'costs no memory while decisions go on, and the program still ends within five seconds [EVT-6]',
    async () => {
      const server = await start(folder.copy());
      const readers = Array.from({ length: 16 }, () => stallReader(server, '/api/v1/events'));
      await Promise.all(readers);
      const beforeMb = await decideMany(server, 1_600);
      const afterMb = await decideMany(server, 1_600);
      expect(afterMb - beforeMb).toBeLessThan(maxGrowthMb);
      const { code, tookMs } = await server.end();
      expect([code, tookMs < maxEndMs]).toEqual([0, true]);
    },
  );
});
