/** A few child processes for orders of one class of work, each order within a time and a memory. */
import { WorkbenchError } from '../../engine/errors.ts';
import { Child, ChildEnded, type OrderInput, type OrderName, type OrderOutput, type Orders } from './orders.ts';
import { readProcessorMs } from './processor-time.ts';
import type { SpawnChild } from './spawn-child.ts';

export type PoolLimits = {
  maxChildren: number;
  heapMb: number;
  /** Time that a child lives after its last answer. */
  idleMs: number;
  /** Time of an order on the processor where that can be read, else by the clock; without one there is no limit. */
  taskMs?: number;
  /** Time by the clock, also for an order that waits for a busy machine or a disk; as `taskMs` without one. */
  clockMs?: number;
  /** Orders that a child has at once; one, unless it keeps what they are about. */
  ordersPerChild?: number;
  /** Orders of one caller under way; without one, nobody has all children at once. */
  ordersPerCaller?: number;
};
type PoolOptions<Table extends Orders> = PoolLimits & {
  spawn: SpawnChild;
  name: Parameters<SpawnChild>[0];
  /** Completes "The process that … ended early" in errors. */
  work: string;
  /** Whether what an order takes follows from what its caller sent, and sending less is the remedy. */
  isSizedByCaller?: boolean;
  /** Orders of which one caller has one at a time, and all callers together leave a child free. */
  slow?: ReadonlySet<OrderName<Table>>;
  /** Makes a child let go of what it holds. */
  forget?(child: Child<Table>): Promise<unknown>;
  /** Orders that the children may give back. */
  answers?: Orders;
  /** Hears of the end of each child: what it knew is gone. */
  onEnd?(): void;
};
type OrderOptions = {
  /** The id of what the child holds for it, such as the file of an import; null for an order by itself. */
  holds?: string | null;
  /** Hears the share that is done, 0 to 1. */
  report?(share: number): void;
  /** Ends the order, where it is under way with its child; it rejects with `unavailable`. */
  signal?: AbortSignal;
};

type Order<Table extends Orders> = {
  callerId: string;
  holds: string | null;
  name: OrderName<Table> | null;
  /** Gives it to a child and resolves when its caller has the answer. */
  giveTo(child: Child<Table>): Promise<unknown>;
  reject(error: Error): void;
};
type PooledChild<Table extends Orders> = {
  child: Child<Table>;
  orders: Set<Order<Table>>;
  holds: string | null;
  timer: NodeJS.Timeout | null;
  isLate: boolean;
};

/** Gives orders to child processes that end when idle, in turn to those of each caller. */
export class ChildPool<Table extends Orders> {
  /** Those used longest ago first. */
  readonly #children = new Set<PooledChild<Table>>();
  readonly #waiting: Order<Table>[] = [];
  /** When each caller who may have an order waiting had its last turn. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  #isClosed = false;
  readonly #options: PoolOptions<Table>;

  constructor(options: PoolOptions<Table>) {
    this.#options = options;
  }

  /**
   * Gives a caller's order, where it can be to the child that `holds` what it is about; rejects as the order does, with
   * `unavailable` (time, end) and, where the caller decides how much it takes, `validation_error` (memory).
   */
  async run<Name extends OrderName<Table>>(
    callerId: string,
    name: Name,
    input: OrderInput<Table, Name>,
    { holds = null, report, signal }: OrderOptions = {},
  ): Promise<OrderOutput<Table, Name>> {
    const { promise, resolve, reject } = Promise.withResolvers<OrderOutput<Table, Name>>();
    const giveTo = ({ give }: Child<Table>) => give(name, input, report).then(resolve);
    const order: Order<Table> = { callerId, holds, name, giveTo, reject };
    const cancel = () => this.#cancel(order);
    signal?.addEventListener('abort', cancel);
    this.#waiting.push(order);
    if (signal?.aborted) cancel();
    this.#startNext();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Lets go of what is held under an id; orders about it are refused with `unavailable`. */
  drop(holds: string): void {
    for (const order of this.#waiting.filter((each) => each.holds === holds)) this.#cancel(order);
    const holder = [...this.#children].find((each) => each.holds === holds);
    const { forget } = this.#options;
    if (holder === undefined || forget === undefined) return;
    holder.holds = null;
    if (holder.orders.size > 0) holder.child.kill();
    else this.#start(holder, { callerId: '', holds: null, name: null, giveTo: forget, reject: () => undefined });
  }

  /** Ends all children and resolves when they are gone; orders are refused with `unavailable`, also later ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#startNext();
    const children = [...this.#children].map(({ child }) => child);
    for (const child of children) child.kill();
    await Promise.all(children.map(({ gone }) => gone));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  #cancel(order: Order<Table>): void {
    const place = this.#waiting.indexOf(order);
    if (place >= 0) {
      this.#waiting.splice(place, 1);
      order.reject(this.#describeEnd('it was ended'));
    } else [...this.#children].find(({ orders }) => orders.has(order))?.child.kill();
  }

  #startNext(): void {
    if (this.#isClosed) {
      for (const order of this.#waiting.splice(0)) order.reject(this.#describeEnd('the workbench is closing'));
      return;
    }
    if (this.#waiting.length === 0 && [...this.#children].every(({ orders }) => orders.size === 0)) this.#turns.clear();
    for (;;) {
      const order = this.#findNext(this.#waiting.filter((each) => this.#mayStart(each)));
      const child = order && this.#findFreeChild(order);
      if (!child) return;
      this.#waiting.splice(this.#waiting.indexOf(order), 1);
      this.#turns.set(order.callerId, ++this.#turn);
      this.#start(child, order);
    }
  }

  #mayStart({ callerId, name }: Order<Table>): boolean {
    const { maxChildren, ordersPerChild = 1, slow } = this.#options;
    const most = Math.max(1, maxChildren * ordersPerChild - 1);
    const running = [...this.#children].flatMap(({ orders }) => [...orders]);
    const own = running.filter((order) => order.callerId === callerId);
    if (own.length >= (this.#options.ordersPerCaller ?? most)) return false;
    const isSlow = (order: Pick<Order<Table>, 'name'>) => order.name !== null && slow?.has(order.name);
    return !isSlow({ name }) || (running.filter(isSlow).length < most && !own.some(isSlow));
  }

  /** Finds the child that holds what an order is about, else one that holds nothing, else the one used longest ago. */
  #findFreeChild({ holds }: Order<Table>): PooledChild<Table> | null {
    const { maxChildren, ordersPerChild = 1 } = this.#options;
    const free = [...this.#children].filter(({ orders, child }) => orders.size < ordersPerChild && child.isOpen);
    const fitting = free.find((each) => each.holds === holds) ?? free.find((each) => each.holds === null);
    if (fitting !== undefined) return fitting;
    return this.#children.size < maxChildren ? this.#open() : (free[0] ?? null);
  }

  /** Finds the first of some waiting orders of the caller whose turn was longest ago. */
  #findNext(startable: readonly Order<Table>[]): Order<Table> | null {
    const turnOf = ({ callerId }: Order<Table>) => this.#turns.get(callerId) ?? 0;
    return startable.reduce<Order<Table> | null>(
      (first, other) => (first === null || turnOf(other) < turnOf(first) ? other : first),
      null,
    );
  }

  #open(): PooledChild<Table> {
    const { spawn, name, heapMb, answers } = this.#options;
    const child = new Child<Table>(spawn, [name, { heapMb }], answers);
    const opened: PooledChild<Table> = { child, orders: new Set(), holds: null, timer: null, isLate: false };
    this.#children.add(opened);
    void child.gone.then(() => {
      this.#remove(opened);
      this.#startNext();
    });
    return opened;
  }

  #remove(from: PooledChild<Table>): void {
    if (from.timer !== null) clearTimeout(from.timer);
    if (this.#children.delete(from)) this.#options.onEnd?.();
  }

  #start(to: PooledChild<Table>, order: Order<Table>): void {
    if (to.timer !== null) clearTimeout(to.timer);
    to.orders.add(order);
    to.holds = order.holds;
    this.#children.delete(to);
    this.#children.add(to);
    const { taskMs, clockMs = taskMs } = this.#options;
    if (taskMs !== undefined && clockMs !== undefined) {
      this.#endAfter(to, { endMs: this.#readMs(to, 0) + taskMs, waitMs: taskMs, clockMs });
    }
    const fail = (error: Error) => order.reject(error instanceof ChildEnded ? this.#explainEnd(to, error.how) : error);
    void order
      .giveTo(to.child)
      .catch(fail)
      .finally(() => {
        to.orders.delete(order);
        if (to.orders.size === 0 && to.child.isOpen) this.#letRest(to);
        this.#startNext();
      });
  }

  #letRest(child: PooledChild<Table>): void {
    if (child.timer !== null) clearTimeout(child.timer);
    child.timer = setTimeout(() => {
      // From here on it is given nothing more.
      this.#remove(child);
      child.child.kill();
    }, this.#options.idleMs).unref();
  }

  #readMs({ child }: PooledChild<Table>, unknownMs: number): number {
    return readProcessorMs(child.pid ?? 0) ?? unknownMs;
  }

  /** Ends a child whose order is not done after `waitMs` nor, up to `clockMs`, at `endMs` of its processor's time. */
  #endAfter(child: PooledChild<Table>, limit: { endMs: number; waitMs: number; clockMs: number }): void {
    child.timer = setTimeout(() => {
      const clockMs = limit.clockMs - limit.waitMs;
      const waitMs = Math.min(limit.endMs - this.#readMs(child, Number.POSITIVE_INFINITY), clockMs);
      if (waitMs > 0) return this.#endAfter(child, { ...limit, waitMs, clockMs });
      child.isLate = true;
      child.child.kill();
    }, limit.waitMs).unref();
  }

  #explainEnd({ isLate }: PooledChild<Table>, how: string): WorkbenchError {
    const { taskMs = 0, heapMb, isSizedByCaller } = this.#options;
    if (!isSizedByCaller) return this.#describeEnd(isLate ? `after ${taskMs / 1_000} s` : how);
    if (isLate) {
      return new WorkbenchError(
        'unavailable',
        `Working on the call took longer than ${taskMs / 1_000} s and was ended; nothing was changed. Send less at once.`,
      );
    }
    // V8 aborts a process whose heap is full; where there are no signals, with this exit code.
    if (how === 'signal SIGABRT' || how === 'exit code 134') {
      const message = `Working on the call takes more than ${heapMb} MB of memory; nothing was changed. Send less at once.`;
      return new WorkbenchError('validation_error', message, [
        { type: 'too_large', loc: ['body'], msg: `takes more than ${heapMb} MB of memory` },
      ]);
    }
    return this.#describeEnd(how);
  }

  #describeEnd(how: string): WorkbenchError {
    return new WorkbenchError(
      'unavailable',
      `The process that ${this.#options.work} ended early (${how}). Ask again.`,
      undefined,
      { cause: how },
    );
  }
}
