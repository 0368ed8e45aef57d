/** Calls that come on a connection before the last one is answered, and answers that nobody reads. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { nextTurn } from '../turns.ts';

const turnLimits = {
  /** Calls of all connections that were read with one before them, about 2 kB each. */
  waitingCalls: 8_192,
  /** Bytes of all answers that their callers have not read. */
  unreadBytes: 64 * 1024 * 1024,
  unreadCheckMs: 1_000,
  /** How long a caller may read nothing of its answer. */
  unreadMs: 60_000,
} as const;

type Call = [request: IncomingMessage, response: ServerResponse];
type Listener = (...call: Call) => void;
type Line = { underWay: ServerResponse | null; waiting: Call[]; readBytes: number };

/**
 * Gives each connection of a server one call at a time: what listens for requests now hears the next one, and more is
 * read from the socket, when the answer before has gone out. Calls `close` for who reads nothing for a minute, or is
 * furthest behind while 64 MB are unread or 8,192 calls wait. Call it before the server listens; returns what ends it.
 */
export function giveTurns(server: Server, close: (socket: Socket) => void): () => void {
  const lines = new Map<Socket, Line>();
  let waitingCalls = 0;
  const listeners = server.listeners('request') as Listener[];

  function begin(line: Line, ...call: Call): void {
    line.underWay = call[1].on('close', endTurn);
    for (const listener of listeners) listener.apply(server, call);
  }

  function endTurn(this: ServerResponse): void {
    const { socket } = this.req;
    const line = lines.get(socket);
    if (line === undefined) return;
    if (line.waiting.length === 0) line.underWay = null;
    else void beginNext(socket, line);
  }

  async function beginNext(socket: Socket, line: Line): Promise<void> {
    // Other connections have their turn between two calls of this one.
    await nextTurn();
    const next = lines.has(socket) ? line.waiting.shift() : undefined;
    if (next === undefined) return;
    waitingCalls -= 1;
    if (line.waiting.length === 0) socket.resume();
    begin(line, ...next);
  }

  function receive(...call: Call): void {
    const { socket } = call[0];
    const line = lines.get(socket);
    // A connection that was closed has brought further calls.
    if (line === undefined) return;
    if (line.underWay === null) {
      begin(line, ...call);
      return;
    }
    line.waiting.push(call);
    waitingCalls += 1;
    socket.pause();
    if (waitingCalls > turnLimits.waitingCalls) end(findLongest());
  }

  function findLongest(): Socket {
    return [...lines].reduce((most, line) => (line[1].waiting.length > most[1].waiting.length ? line : most))[0];
  }

  function end(socket: Socket): void {
    forget(socket);
    close(socket);
  }

  function forget(socket: Socket): void {
    waitingCalls -= lines.get(socket)?.waiting.length ?? 0;
    lines.delete(socket);
  }

  /** Who has read since the last look goes on, however much it has before it. */
  function lookForUnread(): void {
    let unreadBytes = 0;
    const stuck: Socket[] = [];
    for (const [socket, line] of lines) {
      const readBytes = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength > 0 && readBytes === line.readBytes) stuck.push(socket);
      unreadBytes += socket.writableLength;
      line.readBytes = readBytes;
    }
    for (const socket of stuck.sort((one, other) => other.writableLength - one.writableLength)) {
      if (unreadBytes <= turnLimits.unreadBytes) return;
      unreadBytes -= socket.writableLength;
      end(socket);
    }
  }

  server.timeout = turnLimits.unreadMs;
  server.removeAllListeners('request').on('request', receive);
  server.on('connection', (socket) => {
    const line: Line = { underWay: null, waiting: [], readBytes: 0 };
    lines.set(socket, line);
    socket.once('close', () => forget(socket));
    // The end of each request that was read sets its socket going again.
    socket.on('resume', () => {
      if (line.waiting.length > 0) socket.pause();
    });
  });
  server.on('timeout', async (socket) => {
    const { bytesRead } = socket;
    await nextTurn();
    if (socket.bytesRead !== bytesRead) return;
    const isAnswerToCome = lines.get(socket)?.underWay?.writableEnded === false && socket.writableLength === 0;
    if (isAnswerToCome) socket.setTimeout(server.timeout);
    else end(socket);
  });
  const looking = setInterval(lookForUnread, turnLimits.unreadCheckMs).unref();
  return () => clearInterval(looking);
}
