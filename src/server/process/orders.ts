/** Orders that one process gives another over their channel, and the answers: the same in both directions. */
import type { ChildProcess } from 'node:child_process';
import { setPriority } from 'node:os';
import { type ErrorCode, WorkbenchError } from '../../engine/errors.ts';
import type { SpawnChild } from './spawn-child.ts';

/** Functions by the name of the order that each carries out; `report` takes the share done, 0 to 1, to who gave it. */
export type Orders = { readonly [name: string]: (input: never, report: (share: number) => void) => unknown };
export type OrderName<Table> = keyof Table & string;
export type OrderInput<Table, Name extends keyof Table> = Table[Name] extends (
  input: infer Input,
  ...others: never[]
) => unknown
  ? Input
  : never;
export type OrderOutput<Table, Name extends keyof Table> = Table[Name] extends (...all: never[]) => infer Output
  ? Awaited<Output>
  : never;

/** Gives an order; rejects with the `WorkbenchError` that it was refused with, or an error that holds its fault. */
export type GiveOrder<Table> = <Name extends OrderName<Table>>(
  name: Name,
  input: OrderInput<Table, Name>,
  report?: (share: number) => void,
) => Promise<OrderOutput<Table, Name>>;

/** Values of any type are sent; those received fit the name of their order. */
type Message<Value> =
  | { kind: 'order'; id: number; name: string; input: Value }
  | { kind: 'progress'; id: number; share: number }
  | { kind: 'done'; id: number; output: Value }
  | { kind: 'refused'; id: number; code: ErrorCode; message: string; details: unknown[] | undefined }
  | { kind: 'failed'; id: number; fault: string };
type Given = { resolve(output: never): void; reject(error: Error): void; report(share: number): void };

/** Begins a peer's orders in the sequence in which they come, and gives it others. */
function openChannel<Peer extends Orders>(peer: ChildProcess | NodeJS.Process, table: Orders) {
  const given = new Map<number, Given>();
  let lastId = 0;
  let ended: Error | null = null;
  const send = (message: Message<unknown>) => {
    // A channel that breaks is followed by the end of one of the two.
    if (peer.connected) peer.send?.(message, undefined, undefined, () => undefined);
  };
  async function carryOut(id: number, name: string, input: never): Promise<void> {
    try {
      const output = await table[name]?.(input, (share) => send({ kind: 'progress', id, share }));
      send({ kind: 'done', id, output });
    } catch (error) {
      if (error instanceof WorkbenchError) {
        send({ kind: 'refused', id, code: error.code, message: error.message, details: error.details });
      } else
        send({ kind: 'failed', id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }
  peer.on('message', (message: Message<never>) => {
    if (message.kind === 'order') return void carryOut(message.id, message.name, message.input);
    const order = given.get(message.id);
    if (message.kind === 'progress') return order?.report(message.share);
    given.delete(message.id);
    if (message.kind === 'done') order?.resolve(message.output);
    else if (message.kind === 'failed') order?.reject(new Error(`An order to a process failed: ${message.fault}`));
    else order?.reject(new WorkbenchError(message.code, message.message, message.details));
  });
  const give: GiveOrder<Peer> = (name, input, report = () => undefined) =>
    new Promise((resolve, reject) => {
      if (ended !== null) return reject(ended);
      lastId += 1;
      given.set(lastId, { resolve, reject, report });
      send({ kind: 'order', id: lastId, name, input });
    });
  return {
    give,
    end(error: Error): void {
      ended = error;
      for (const { reject } of given.values()) reject(error);
      given.clear();
    },
  };
}

/** Makes this process carry out its parent's orders at a low priority until the parent is gone; gives orders back. */
export function serveOrders<Parent extends Orders>(table: Orders, niceness: number): GiveOrder<Parent> {
  process.once('disconnect', () => process.exit(0));
  setPriority(niceness);
  return openChannel<Parent>(process, table).give;
}

/** The end of a process before it answered; `how` is a signal, an exit code or why it could not be started. */
export class ChildEnded extends Error {
  readonly how: string;
  constructor(how: string) {
    super(`The process ended early (${how}).`);
    this.how = how;
  }
}

/** A child process that serves orders; `answers` are those that it may give back. */
export class Child<Table extends Orders> {
  /** Resolves when it is gone, with how it ended; all that it was ordered is rejected by then. */
  readonly gone: Promise<string>;
  /** Rejects also with `ChildEnded`. */
  readonly give: GiveOrder<Table>;
  readonly pid: number | null;
  /** Why no process could be made; null where one was. */
  readonly fault: Error | null = null;
  readonly #process: ChildProcess | null;

  constructor(spawn: SpawnChild, [name, options]: Parameters<SpawnChild>, answers: Orders = {}) {
    let started: ChildProcess;
    try {
      started = spawn(name, options);
    } catch (error) {
      const ended = new ChildEnded(error instanceof Error ? error.message : String(error));
      this.#process = null;
      this.pid = null;
      this.fault = ended;
      this.gone = Promise.resolve(ended.how);
      this.give = () => Promise.reject(ended);
      return;
    }
    this.#process = started;
    this.pid = started.pid ?? null;
    const channel = openChannel<Table>(started, answers);
    this.give = channel.give;
    this.gone = new Promise((resolve) => {
      const end = (how: string) => {
        channel.end(new ChildEnded(how));
        resolve(how);
      };
      // Where it was started, its exit follows.
      started.once('error', (error) => this.pid === null && end(error.message));
      started.once('exit', (code, signal) => {
        // Its last answer may still be in the channel.
        const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
        if (started.connected) started.once('disconnect', () => end(how));
        else end(how);
      });
    });
  }

  /** Whether it can take an order: one that was killed may have answered before it ends. */
  get isOpen(): boolean {
    return this.#process?.connected === true && !this.#process.killed;
  }

  kill(): void {
    this.#process?.kill('SIGKILL');
  }
}
