/** The connections of the listener: who has a place, who gives way to others, and how all of them end. */
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
function giveTurns(server: Server, close: (socket: Socket) => void): () => void {
  const listeners = server.listeners('request') as Listener[];
  const turns = new CallTurns((...call) => {
    for (const listener of listeners) listener.apply(server, call);
  }, close);
  server.timeout = turnLimits.unreadMs;
  server.removeAllListeners('request').on('request', (...call) => turns.receive(call));
  server.on('connection', (socket) => turns.follow(socket));
  server.on('timeout', async (socket) => {
    const { bytesRead } = socket;
    await nextTurn();
    if (socket.bytesRead !== bytesRead) return;
    if (turns.isAnswerToCome(socket)) socket.setTimeout(server.timeout);
    else turns.end(socket);
  });
  let looking: NodeJS.Timeout | undefined;
  server.once('listening', () => {
    looking = setInterval(() => turns.endUnread(), turnLimits.unreadCheckMs).unref();
  });
  return () => clearInterval(looking);
}

/** The connections of a server, each with its call under way and those behind it. */
class CallTurns {
  readonly #lines = new Map<Socket, Line>();
  readonly #listen: Listener;
  readonly #close: (socket: Socket) => void;
  #waitingCalls = 0;

  constructor(listen: Listener, close: (socket: Socket) => void) {
    this.#listen = listen;
    this.#close = close;
  }

  follow(socket: Socket): void {
    const line: Line = { underWay: null, waiting: [], readBytes: 0 };
    this.#lines.set(socket, line);
    socket.once('close', () => this.#forget(socket));
    // The end of each request that was read sets its socket going again.
    socket.on('resume', () => {
      if (line.waiting.length > 0) socket.pause();
    });
  }

  receive(call: Call): void {
    const { socket } = call[0];
    const line = this.#lines.get(socket);
    // A connection that was closed has brought further calls.
    if (line === undefined) return;
    if (line.underWay === null) {
      this.#begin(line, call);
      return;
    }
    line.waiting.push(call);
    this.#waitingCalls += 1;
    socket.pause();
    if (this.#waitingCalls > turnLimits.waitingCalls) this.end(this.#findLongest());
  }

  /** Whether a connection waits for an answer that is still being made. */
  isAnswerToCome(socket: Socket): boolean {
    return this.#lines.get(socket)?.underWay?.writableEnded === false && socket.writableLength === 0;
  }

  end(socket: Socket): void {
    this.#forget(socket);
    this.#close(socket);
  }

  /** Ends who is furthest behind while too much is unread. Who has read since the last look goes on. */
  endUnread(): void {
    let unreadBytes = 0;
    const stuck: Socket[] = [];
    for (const [socket, line] of this.#lines) {
      const readBytes = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength > 0 && readBytes === line.readBytes) stuck.push(socket);
      unreadBytes += socket.writableLength;
      line.readBytes = readBytes;
    }
    for (const socket of stuck.sort((one, other) => other.writableLength - one.writableLength)) {
      if (unreadBytes <= turnLimits.unreadBytes) return;
      unreadBytes -= socket.writableLength;
      this.end(socket);
    }
  }

  #begin(line: Line, [request, response]: Call): void {
    line.underWay = response.on('close', () => this.#endTurn(request.socket));
    this.#listen(request, response);
  }

  #endTurn(socket: Socket): void {
    const line = this.#lines.get(socket);
    if (line === undefined) return;
    if (line.waiting.length === 0) line.underWay = null;
    else void this.#beginNext(socket, line);
  }

  async #beginNext(socket: Socket, line: Line): Promise<void> {
    // Other connections have their turn between two calls of this one.
    await nextTurn();
    const next = this.#lines.has(socket) ? line.waiting.shift() : undefined;
    if (next === undefined) return;
    this.#waitingCalls -= 1;
    if (line.waiting.length === 0) socket.resume();
    this.#begin(line, next);
  }

  #findLongest(): Socket {
    return [...this.#lines].reduce((most, line) => (line[1].waiting.length > most[1].waiting.length ? line : most))[0];
  }

  #forget(socket: Socket): void {
    this.#waitingCalls -= this.#lines.get(socket)?.waiting.length ?? 0;
    this.#lines.delete(socket);
  }
}

export const connectionLimits = {
  places: 256,
  /** Time left for a request under way when the program ends. */
  closingMs: 3_000,
} as const;

/** A connection's caller, null before anybody was let in, and its calls so far. */
type Holder = { callerId: string | null; begun: number; answered: number; lastUse: number };

/**
 * Keeps 256 connections at most: when full, closes one of the caller holding most, the one idle longest before any that
 * waits for a call or an answer; those on which no call was let in count as one caller. What has come is read before
 * an idle connection is closed, since its end would reset that call.
 */
export function createConnections() {
  const holders = new Map<Socket, Holder>();
  let uses = 0;
  let isMakingRoom = false;
  let ending: NodeJS.Timeout | null = null;
  let isClosing = false;
  let stopTurns = () => {};

  function noteUse(socket: Socket, use: 'begun' | 'answered'): void {
    const holder = holders.get(socket);
    if (holder === undefined) return;
    holder[use] += 1;
    holder.lastUse = uses++;
  }

  function noteAnswer(this: ServerResponse): void {
    noteUse(this.req.socket, 'answered');
  }

  async function makeRoom(): Promise<void> {
    if (isMakingRoom) return;
    isMakingRoom = true;
    await nextTurn();
    isMakingRoom = false;
    while (holders.size > connectionLimits.places) release(chooseLeaver());
  }

  function chooseLeaver(): Socket {
    const held = [...Map.groupBy(holders, ([, { callerId }]) => callerId).values()];
    return held
      .reduce((most, group) => (group.length > most.length ? group : most))
      .reduce((leaver, other) => (givesWay(other[1], leaver[1]) ? other : leaver))[0];
  }

  function release(socket: Socket): void {
    // A place is free at once; the socket reports its end only later.
    holders.delete(socket);
    socket.destroy();
  }

  return {
    /** Watches over the connections that the server accepts from now on. */
    watch(server: Server): void {
      server.on('connection', (socket) => {
        holders.set(socket, { callerId: null, begun: 0, answered: 0, lastUse: uses++ });
        socket.once('close', () => holders.delete(socket));
        if (holders.size > connectionLimits.places) void makeRoom();
      });
      server.on('request', ({ socket }, response) => {
        noteUse(socket, 'begun');
        response.on('close', noteAnswer);
      });
      stopTurns = giveTurns(server, release);
    },
    noteCall(socket: Socket, callerId: string): void {
      const holder = holders.get(socket);
      if (holder !== undefined) holder.callerId = callerId;
    },
    isClosing: () => isClosing,
    /** Begins the end: requests under way have `closingMs`, then every connection is closed. */
    beginClosing(): void {
      isClosing = true;
      ending = setTimeout(() => {
        for (const socket of [...holders.keys()]) release(socket);
      }, connectionLimits.closingMs);
    },
    endClosing(): void {
      stopTurns();
      if (ending !== null) clearTimeout(ending);
    },
  };
}

function givesWay(one: Holder, other: Holder): boolean {
  return isIdle(one) === isIdle(other) ? one.lastUse < other.lastUse : isIdle(one);
}

/** Whether every call was answered; a new connection is about to bring its first. */
const isIdle = ({ begun, answered }: Holder) => begun > 0 && answered === begun;

export type Connections = ReturnType<typeof createConnections>;
