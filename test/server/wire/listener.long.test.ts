/** The bounds of the listener, tried on real sockets. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectionLimits } from '../../../src/door/http/connections.ts';
import { startWorkbench } from '../../../src/server/start.ts';
import { temporaryFolder } from '../workbench.ts';

async function start(): Promise<number> {
  const workbench = await startWorkbench({
    dataDir: temporaryFolder(),
    port: 0,
    rendererDir: null,
    logLevel: 'silent',
  });
  onTestFinished(() => workbench.close());
  return Number(new URL(workbench.url).port);
}

function open(port: number, host = '127.0.0.1'): Socket {
  const socket = connect(port, host);
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Everything the server says until it hangs up. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (data) => {
    text += String(data);
  });
  socket.on('error', () => undefined);
  await once(socket, 'close');
  return text;
}

describe('the listener', () => {
  it('cannot be reached from other machines', async () => {
    const port = await start();
    const others = Object.values(networkInterfaces())
      .flat()
      .filter((face) => face !== undefined && face.family === 'IPv4' && !face.internal)
      .map((face) => face?.address ?? '');
    for (const address of [...others, '127.0.0.2']) {
      const [error] = await once(open(port, address), 'error');
      expect([address, (error as NodeJS.ErrnoException).code]).toEqual([address, 'ECONNREFUSED']);
    }
    const reached = open(port);
    await once(reached, 'connect');
  });

  it('hangs up on a client that sends its request too slowly, and tells it why', async () => {
    const socket = open(await start());
    const closed = untilClosed(socket);
    socket.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    const answer = await closed;
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({ error: { code: 'bad_request' } });
  });

  it('takes the place back from a body that stands still', async () => {
    const socket = open(await start());
    const closed = untilClosed(socket);
    socket.write('POST /api/v1/decide HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n');
    socket.write('Content-Length: 100\r\n\r\n{"decision_type":');
    expect(await closed).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  it('closes a spare connection of a browser without a word, which would pass for the answer to its next request', async () => {
    expect(await untilClosed(open(await start()))).toBe('');
  });

  it('refuses what is no HTTP and headers beyond their limit', async () => {
    const port = await start();
    for (const text of [
      'HELLO\r\n\r\n',
      'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Long: ${'x'.repeat(17 * 1024)}\r\n\r\n`,
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ]) {
      const socket = open(port);
      const closed = untilClosed(socket);
      socket.write(text);
      const answer = await closed;
      expect([text.slice(0, 20), answer.slice(0, 10)]).toEqual([
        text.slice(0, 20),
        expect.stringMatching(/^HTTP\/1\.1 4/),
      ]);
      expect(JSON.parse(answer.slice(answer.indexOf('{')))).toMatchObject({ error: { code: expect.any(String) } });
    }
  });

  it('serves whoever comes when its places are taken: the oldest of those without a credential gives way', async () => {
    const port = await start();
    const oldest = open(port);
    await once(oldest, 'connect');
    const gone = untilClosed(oldest);
    const idle = Array.from({ length: connectionLimits.places }, () => open(port));
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    expect(await gone).toBe('');
  });

  it('serves one connection for as many calls as a program makes', async () => {
    const port = await start();
    const socket = open(port);
    const calls = 10_500;
    const statuses: string[] = [];
    let rest = '';
    const done = new Promise<void>((resolve) => {
      socket.on('data', (data) => {
        // a status may lie across two pieces
        rest += data.toString('latin1');
        let end = 0;
        for (const match of rest.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
          statuses.push(match[1] ?? '');
          end = match.index + match[0].length;
        }
        rest = rest.slice(Math.max(end, rest.length - 11));
        if (statuses.length >= calls) resolve();
      });
    });
    socket.write(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(calls));
    await done;
    expect([statuses.length, new Set(statuses)]).toEqual([calls, new Set(['200'])]);
  });
});
