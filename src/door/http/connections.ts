/** The connections of the listener: who has a place, who gives way to others, and how all of them end. */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { nextTurn } from '../turns.ts';
import { giveTurns } from './call-turns.ts';

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
