/** The connections of the listener: who has a place, who gives way to others, and how all of them end. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export const connectionLimits = {
  places: 256,
  /** Time left for a request under way when the program ends. */
  closingMs: 3_000,
} as const;

/**
 * Keeps 256 connections at most: when full, drops the least recently used connection of the caller holding most; those
 * on which no call was let in count as one caller.
 */
export function createConnections() {
  /** Who called on each connection, null before anybody was let in; the one used last stands last. */
  const holders = new Map<Socket, string | null>();
  let ending: NodeJS.Timeout | null = null;
  let isClosing = false;

  function makeRoom(): void {
    const held = Map.groupBy(holders.keys(), (socket) => holders.get(socket) ?? null);
    const [most = []] = [...held.values()].sort((a, b) => b.length - a.length);
    for (const socket of most.slice(0, 1)) release(socket);
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
        holders.set(socket, null);
        socket.once('close', () => holders.delete(socket));
        if (holders.size > connectionLimits.places) makeRoom();
      });
    },
    noteCall(socket: Socket, callerId: string): void {
      if (holders.delete(socket)) holders.set(socket, callerId);
    },
    isClosing: () => isClosing,
    /** Begins the end: requests under way have `closingMs`, then every connection is closed. */
    beginClosing(): void {
      isClosing = true;
      ending = setTimeout(() => {
        for (const socket of [...holders.keys()]) release(socket);
      }, connectionLimits.closingMs);
    },
    /** Ends the watch, when no connection is left. */
    endClosing(): void {
      if (ending !== null) clearTimeout(ending);
    },
  };
}

export type Connections = ReturnType<typeof createConnections>;
