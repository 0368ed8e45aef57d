/** Callers who send calls without waiting for an answer, or never read one, and others who want to be served meanwhile. */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listOperations } from '../../../src/server/contract/operations.ts';
import { openForTest, temporaryFolder } from '../../server/workbench.ts';
import { toHostLine } from '../tools/held-connections.ts';
import { callAlone, openStubborn, startServerProcess } from '../tools/server-process.ts';

const publicAddresses = [
  ...listOperations().flatMap(({ row: { access, method, path } }) =>
    access === 'public' ? [`${method} ${path}`] : [],
  ),
  'GET /openapi.json',
  'GET /docs',
  'GET /app/',
  'GET /nowhere',
];

const toCalls = (address: string, port: number, count: number) =>
  `${address} HTTP/1.1\r\n${toHostLine(port)}\r\n`.repeat(count);

async function openUnread(port: number, text: string): Promise<Socket> {
  const socket = await openStubborn(port, text);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** What Linux knows of a process; nothing elsewhere. */
class ProcessFigures {
  readonly #folder: string;
  constructor(pid: number | undefined) {
    this.#folder = `/proc/${pid}`;
  }
  #read(file: string): string {
    return process.platform === 'linux' ? readFileSync(`${this.#folder}/${file}`, 'utf8') : '';
  }
  processorMs(): number {
    const [, times = ''] = this.#read('stat').split(') ');
    const [user = 0, system = 0] = times.split(' ').slice(11, 13).map(Number);
    return (user + system) * 10;
  }
  mostResidentMb(): number {
    return Number(/VmHWM:\s+(\d+)/.exec(this.#read('status'))?.[1] ?? 0) / 1024;
  }
}

async function start() {
  const server = await startServerProcess(temporaryFolder());
  onTestFinished(() => void server.child.kill('SIGKILL'));
  return server;
}

async function listen() {
  const { app } = await openForTest();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  return { app, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

/** All answers on a connection until `count` have come. */
async function readAnswers(socket: Socket, count: number): Promise<string[]> {
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.split('HTTP/1.1 ').length > count && /[}>]\s*$/.test(text)) break;
  }
  return text.split('HTTP/1.1 ').slice(1);
}

describe('a caller who sends many calls at once', () => {
  it('holds up nobody and takes no memory, whatever it asks without a credential and however little it reads', async () => {
    const { port, child } = await start();
    const server = new ProcessFigures(child.pid);
    for (const address of publicAddresses) {
      for (let each = 0; each < 4; each += 1) await openUnread(port, toCalls(address, port, 800));
      const before = server.processorMs();
      expect([address, (await callAlone(port, 'GET', '/health', '')).status]).toEqual([address, 200]);
      expect(server.processorMs() - before, address).toBeLessThan(1_000);
    }
    const before = server.processorMs();
    await Promise.all(Array.from({ length: 270 }, () => openUnread(port, toCalls('GET /openapi.json', port, 100))));
    expect((await callAlone(port, 'GET', '/health', '')).status).toBe(200);
    expect(server.processorMs() - before).toBeLessThan(2_000);
    expect(server.mostResidentMb()).toBeLessThan(400);
  });

  it('has its answers in order, as one that sends bodies', async () => {
    const { port } = await listen();
    const names = Array.from({ length: 300 }, (_, index) => `call-${index}`);
    const calls = names.map((name, index) => {
      const head = (line: string, more = '') =>
        `${line} HTTP/1.1\r\n${toHostLine(port)}X-Request-ID: ${name}\r\n${more}\r\n`;
      if (index % 3 > 0) return head('GET /health');
      const body = JSON.stringify({ code: 'x'.repeat(201 + index) });
      const more = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      return `${head('POST /api/v1/auth/session', more)}${body}`;
    });
    const answers = await readAnswers(await openUnread(port, calls.join('')), names.length);
    expect(answers.map((answer) => /x-request-id: (\S+)/.exec(answer)?.[1])).toEqual(names);
    expect(new Set(answers.map((answer) => answer.slice(0, 3)))).toEqual(new Set(['200', '422']));
  });

  it('is closed when it reads nothing for a minute, but not while its answer is being made', async () => {
    const { app, port } = await listen();
    app.server.timeout = 200;
    const [made] = await readAnswers(await openUnread(port, toCalls('GET /openapi.json', port, 1)), 1);
    expect(made).toMatch(/^200/);
    await openUnread(port, toCalls('GET /openapi.json', port, 800));
    const countConnections = () =>
      new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)));
    await expect.poll(countConnections, { timeout: 30_000 }).toBe(0);
  });
});

describe('a document of the interface', () => {
  it('is sent only to who does not have it, and compressed to who takes that', async () => {
    const { app } = await openForTest();
    for (const url of ['/openapi.json', '/api/v1/openapi.json']) {
      const ask = (headers: Record<string, string>) => app.inject({ url, headers: { host: '127.0.0.1', ...headers } });
      const plain = await ask({});
      const etag = String(plain.headers.etag);
      expect(etag).toMatch(/^"[\w-]+"$/);
      const packed = await ask({ 'accept-encoding': 'br, gzip' });
      expect(packed.headers['content-encoding']).toBe('gzip');
      expect(gunzipSync(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
      const known = await ask({ 'if-none-match': etag });
      expect([known.statusCode, known.payload]).toEqual([304, '']);
      expect((await ask({ 'accept-encoding': 'gzip;q=0' })).headers['content-encoding']).toBeUndefined();
    }
  });
});
