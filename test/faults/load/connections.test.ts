/** Connections that are held open for nothing, and callers who want to be served meanwhile. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openForTest } from '../../server/workbench.ts';
import { heldKinds, holdConnections, toHostLine } from '../tools/held-connections.ts';
import { callAlone, openStubborn } from '../tools/server-process.ts';

async function listen(): Promise<{ app: FastifyInstance; port: number; token: string }> {
  const { app, token } = await openForTest();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  return { app, token, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

const countConnections = (app: FastifyInstance) =>
  new Promise<number>((resolve, reject) => {
    app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });

const toRead = (port: number, token: string, path = '/api/v1/credits') =>
  `GET ${path} HTTP/1.1\r\n${toHostLine(port)}Authorization: Bearer ${token}\r\n\r\n`;

/** A connection that is kept after an answer, or while one is under way. */
async function openKept(port: number, token: string, path?: string): Promise<Socket> {
  const socket = await openStubborn(port, toRead(port, token, path));
  onTestFinished(() => void socket.destroy());
  await once(socket, 'data');
  return socket;
}

/** Holds this thread, and with it the server, as a pause of the machine does. */
function standStill(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
}

/** What the server says on a connection until it ends its side. */
async function readAnswer(port: number, text: string): Promise<string> {
  const socket = await openStubborn(port, text);
  onTestFinished(() => void socket.destroy());
  let answer = '';
  socket.on('data', (data) => {
    answer += String(data);
  });
  await Promise.race([once(socket, 'end'), once(socket, 'close')]);
  return answer;
}

/** Less than the server keeps an idle connection for, and enough for any machine. */
const soon = { timeout: 30_000 };

describe('the listener', () => {
  it('closes what is no request itself, although the client never does', async () => {
    const { app, port } = await listen();
    const answers = await Promise.all(Array.from({ length: 20 }, () => readAnswer(port, 'x\r\n\r\n')));
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"bad_request"/);
    await expect.poll(() => countConnections(app), soon).toBe(0);
  });

  it('says what was wrong with headers that are too large and with methods that are no requests', async () => {
    const { app, port } = await listen();
    const flood = await readAnswer(port, `GET / HTTP/1.1\r\n${toHostLine(port)}X-Long: ${'x'.repeat(200_000)}\r\n\r\n`);
    expect(flood).toMatch(/^HTTP\/1\.1 431 [\s\S]*"code":"headers_too_large"/);
    const tunnel = await readAnswer(port, `CONNECT example.org:443 HTTP/1.1\r\n${toHostLine(port)}\r\n`);
    expect(tunnel).toMatch(/^HTTP\/1\.1 405 [\s\S]*"code":"method_not_allowed"/);
    const upgrade = `GET /nowhere HTTP/1.1\r\n${toHostLine(port)}Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`;
    expect(await readAnswer(port, upgrade)).toMatch(/^HTTP\/1\.1 404 [\s\S]*"code":"not_found"/);
    await expect.poll(() => countConnections(app), soon).toBe(0);
  });

  it('keeps the place of who has shown a credential, whoever else comes', async () => {
    const { app, port, token } = await listen();
    const known = await openKept(port, token);
    await holdConnections(port, 300, heldKinds['an idle connection']?.(port) ?? '');
    await expect.poll(() => countConnections(app)).toBe(256);
    known.write(toRead(port, token));
    expect(String((await once(known, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('serves the owner while a key, over its limit or not, holds 320 connections with half a body each', async () => {
    const { port, token } = await listen();
    const authorization = `Bearer ${token}`;
    for (const rate_limit_per_minute of [1, 1_000]) {
      const payload = { name: 'greedy', rate_limit_per_minute };
      const { key } = (await callAlone(port, 'POST', '/api/v1/api-keys', authorization, payload)).body;
      const head = `POST /api/v1/decide HTTP/1.1\r\n${toHostLine(port)}Authorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
      for (let round = 0; round < 4; round += 1) {
        await holdConnections(port, 80, `${head}Content-Length: 500\r\n\r\n{"a":`);
        const calls = Array.from({ length: 5 }, () => callAlone(port, 'GET', '/api/v1/credits', authorization));
        for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
      }
    }
  });

  it('is told of a shorter time than its connection is kept for, so that no request meets the end on the way', async () => {
    const { app, port } = await listen();
    const socket = await openStubborn(port, `GET /health HTTP/1.1\r\n${toHostLine(port)}\r\n`);
    onTestFinished(() => void socket.destroy());
    const announcedS = Number(/\r\nkeep-alive: timeout=(\d+)\r\n/i.exec(String((await once(socket, 'data'))[0]))?.[1]);
    expect(announcedS).toBeLessThanOrEqual(app.server.keepAliveTimeout / 1_000);
    expect(announcedS).toBeGreaterThan(1);
    expect(app.server.keepAliveTimeoutBuffer).toBeGreaterThanOrEqual(1_000);
  });

  it('answers a call that came in time, although the program stood still until the connection had been idle too long', async () => {
    const { app, port, token } = await listen();
    // Far longer than this process waits for its turn on a busy machine.
    const keptMs = 1_000;
    Object.assign(app.server, { keepAliveTimeout: keptMs, keepAliveTimeoutBuffer: 0 });
    const socket = await openKept(port, token);
    socket.write(toRead(port, token));
    standStill(2 * keptMs);
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
    await Promise.race([once(socket, 'end'), once(socket, 'close')]);
    expect(socket.errored).toBeNull();
  });

  it('serves one more caller when all places are taken by callers who ask nothing at the moment', async () => {
    const { app, port, token } = await listen();
    for (let kept = 0; kept < 256; kept += 1) await openKept(port, token);
    expect(await countConnections(app)).toBe(256);
    expect((await callAlone(port, 'GET', '/api/v1/credits', `Bearer ${token}`)).status).toBe(200);
  });

  it('closes the connection that is idle longest, and none with an answer under way or a call just come', async () => {
    const { app, port, token } = await listen();
    const stream = await openKept(port, token, '/api/v1/events');
    const asking = await openKept(port, token);
    const idleLongest = await openKept(port, token);
    for (let kept = 3; kept < 256; kept += 1) await openKept(port, token);
    const ended = once(idleLongest, 'end');
    const newcomer = openStubborn(port, toRead(port, token));
    asking.write(toRead(port, token));
    onTestFinished(async () => void (await newcomer).destroy());
    expect(String((await once(asking, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
    await ended;
    expect([stream.closed, stream.readableEnded, asking.closed]).toEqual([false, false, false]);
    await expect.poll(() => countConnections(app)).toBe(256);
  });
});
