/** The connections of the listener: who has a place, who gives way to others, and how all of them end. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The bounds of the pool of connections. */
export const connectionLimits = {
  places: 256,
  /** Places that only connections on which a valid credential was shown can have. */
  reservedPlaces: 64,
  /** A connection without a valid credential on which nothing moves for so long is closed. */
  strangerIdleMs: 5_000,
  sweepMs: 1_000,
  /** What a request under way may still take when the program ends. */
  closingMs: 3_000,
} as const;

const strangerPlaces = connectionLimits.places - connectionLimits.reservedPlaces;

type Place = {
  /** Whether a valid credential was shown on this connection. */
  isTrusted: boolean;
  /** Bytes that had gone over the connection when it last moved, and when that was. */
  bytes: number;
  movedAtMs: number;
};

/**
 * Keeps the connections of a server within their places. Who has shown no valid credential is a stranger: strangers
 * share all but the reserved places, the oldest of them gives way to the next, and those on which nothing moves are
 * closed. So whoever holds connections open, a caller with a credential always finds a place.
 *
 * A connection's bytes tell whether it moves, so that no request pays for being watched.
 */
export function createConnections(monotonic: () => number) {
  const places = new Map<Socket, Place>();
  let sweeping: NodeJS.Timeout | null = null;
  let ending: NodeJS.Timeout | null = null;
  let isClosing = false;

  function admit(server: Server, socket: Socket): void {
    places.set(socket, { isTrusted: false, bytes: 0, movedAtMs: monotonic() });
    socket.once('close', () => places.delete(socket));
    if (places.size > strangerPlaces) makeRoom(server, socket);
  }

  function makeRoom(server: Server, newcomer: Socket): void {
    const strangers = [...places.keys()].filter((socket) => places.get(socket)?.isTrusted === false);
    const isFull = places.size > connectionLimits.places;
    const [oldest = newcomer] = strangers;
    if (strangers.length > strangerPlaces || (isFull && oldest !== newcomer)) release(oldest);
    else if (isFull) {
      // All others are trusted: those without a request under way give way.
      server.closeIdleConnections();
      for (const socket of [...places.keys()]) if (socket.destroyed) places.delete(socket);
      if (places.size > connectionLimits.places) release(newcomer);
    }
  }

  function release(socket: Socket): void {
    // A place is free at once; the socket reports its end only later.
    places.delete(socket);
    socket.destroy();
  }

  function closeIdleStrangers(): void {
    const nowMs = monotonic();
    for (const [socket, place] of places) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      if (bytes !== place.bytes) Object.assign(place, { bytes, movedAtMs: nowMs });
      else if (!place.isTrusted && nowMs - place.movedAtMs >= connectionLimits.strangerIdleMs) release(socket);
    }
  }

  return {
    /** Watches over the connections that the server accepts from now on. */
    watch(server: Server): void {
      server.on('connection', (socket) => admit(server, socket));
      server.once('listening', () => {
        sweeping = setInterval(closeIdleStrangers, connectionLimits.sweepMs).unref();
      });
    },
    /** Notes that a valid credential was shown on this connection. */
    trust(socket: Socket): void {
      const place = places.get(socket);
      if (place !== undefined) place.isTrusted = true;
    },
    isClosing: () => isClosing,
    /** Begins the end: requests under way have `closingMs`, then every connection is closed, whatever its client does. */
    beginClosing(): void {
      isClosing = true;
      if (sweeping !== null) clearInterval(sweeping);
      ending = setTimeout(() => {
        for (const socket of [...places.keys()]) release(socket);
      }, connectionLimits.closingMs);
    },
    /** Ends the watch, when no connection is left. */
    endClosing(): void {
      if (ending !== null) clearTimeout(ending);
    },
  };
}

export type Connections = ReturnType<typeof createConnections>;
