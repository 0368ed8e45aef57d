/** A few child processes that work off large tasks, each within a time and a memory; some hold a file between them. */
import type { ChildProcess } from 'node:child_process';
import { WorkbenchError } from '../../engine/errors.ts';
import { readProcessorMs } from '../process/processor-time.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import type { TaskOrder, TaskReply } from './preparation-child.ts';
import type { TaskInput, TaskName, TaskOutput } from './tasks.ts';

export type PoolLimits = {
  maxChildren: number;
  heapMb: number;
  /** Time of the processor where that can be read, and ten times as much by the clock; else by the clock. */
  taskMs: number;
  idleMs: number;
};

type Task = {
  callerId: string;
  /** The id of what the child holds for it, such as the file of an import; null for a task by itself. */
  holds: string | null;
  order: TaskOrder;
  resolve(output: unknown): void;
  reject(error: Error): void;
};
type Child = {
  process: ChildProcess;
  task: Task | null;
  holds: string | null;
  timer: NodeJS.Timeout | null;
  endsFor: 'time' | null;
};

/** Tasks that read a file of anybody's making: how long one takes follows from it only within wide bounds. */
const ofFiles: ReadonlySet<TaskName> = new Set(['readImport', 'readMovedFile', 'stageTextModel']);

/** A task that waits for a busy machine has so many times its time by the clock. */
const maxClockTimes = 10;

/** Runs tasks in child processes that end when idle; nobody has all at once, nor more than one with a file. */
export class TaskPool {
  /** Those used longest ago first. */
  readonly #children = new Set<Child>();
  readonly #waiting: Task[] = [];
  /** When each caller who may have a task waiting had its last turn. */
  readonly #turns = new Map<string, number>();
  #turn = 0;
  #isClosed = false;

  readonly #spawn: SpawnChild;
  readonly #limits: PoolLimits;

  constructor(spawn: SpawnChild, limits: PoolLimits) {
    this.#spawn = spawn;
    this.#limits = limits;
  }

  /**
   * Runs a caller's task, where it can be in the child that `holds` what it is about; rejects as the task does, with
   * `validation_error` (memory) or `unavailable` (time, end).
   */
  run<N extends TaskName>(
    callerId: string,
    name: N,
    input: TaskInput<N>,
    holds: string | null = null,
  ): Promise<TaskOutput<N>> {
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ callerId, holds, order: { name, input }, resolve, reject });
      this.#startNext();
    }) as Promise<TaskOutput<N>>;
  }

  /** Lets go of what is held under an id; tasks about it are refused with `unavailable`. */
  drop(holds: string): void {
    for (const task of this.#waiting.filter((each) => each.holds === holds)) {
      this.#waiting.splice(this.#waiting.indexOf(task), 1);
      task.reject(endedEarly('it was ended'));
    }
    const child = [...this.#children].find((each) => each.holds === holds);
    if (child === undefined) return;
    child.holds = null;
    const order: TaskOrder = { name: 'forgetUpload', input: null };
    if (child.task !== null) child.process.kill('SIGKILL');
    else this.#start(child, { callerId: '', holds: null, order, resolve: () => undefined, reject: () => undefined });
  }

  /** Ends all children; tasks under way or waiting are refused with `unavailable`. */
  close(): void {
    this.#isClosed = true;
    for (const task of this.#waiting.splice(0)) task.reject(endedEarly('the workbench is closing'));
    for (const child of this.#children) child.process.kill('SIGKILL');
  }

  #startNext(): void {
    if (this.#isClosed) {
      for (const task of this.#waiting.splice(0)) task.reject(endedEarly('the workbench is closing'));
      return;
    }
    if (this.#waiting.length === 0 && [...this.#children].every(({ task }) => task === null)) this.#turns.clear();
    for (;;) {
      const task = this.#findNext(this.#waiting.filter((each) => this.#mayStart(each)));
      const child = task && this.#findIdleChild(task);
      if (!child) return;
      this.#waiting.splice(this.#waiting.indexOf(task), 1);
      this.#turns.set(task.callerId, ++this.#turn);
      this.#start(child, task);
    }
  }

  #mayStart({ callerId, order }: Task): boolean {
    const running = [...this.#children].flatMap(({ task }) => task ?? []);
    const own = running.filter((task) => task.callerId === callerId);
    const most = Math.max(1, this.#limits.maxChildren - 1);
    if (own.length >= most) return false;
    const isFile = (task: Task) => ofFiles.has(task.order.name);
    return !ofFiles.has(order.name) || (running.filter(isFile).length < most && !own.some(isFile));
  }

  /** Finds the child that holds what a task is about, else one that holds nothing, else the one used longest ago. */
  #findIdleChild({ holds }: Task): Child | null {
    // One that was killed may have answered before it ends.
    const mayWork = ({ task, process }: Child) => task === null && process.connected && !process.killed;
    const idle = [...this.#children].filter(mayWork);
    const fitting = idle.find((child) => child.holds === holds) ?? idle.find((child) => child.holds === null);
    if (fitting !== undefined) return fitting;
    return this.#children.size < this.#limits.maxChildren ? this.#open() : (idle[0] ?? null);
  }

  /** Finds the first of some waiting tasks of the caller whose turn was longest ago. */
  #findNext(startable: readonly Task[]): Task | null {
    const turnOf = ({ callerId }: Task) => this.#turns.get(callerId) ?? 0;
    return startable.reduce<Task | null>(
      (first, other) => (first === null || turnOf(other) < turnOf(first) ? other : first),
      null,
    );
  }

  #open(): Child {
    const process = this.#spawn('preparation-child', { heapMb: this.#limits.heapMb });
    const child: Child = { process, task: null, holds: null, timer: null, endsFor: null };
    this.#children.add(child);
    process.on('message', (reply: TaskReply) => this.#finish(child, reply));
    process.once('error', (error) => this.#bury(child, endedEarly(error.message)));
    process.once('exit', (code, signal) => this.#bury(child, this.#explainEnd(child, signal ?? `exit ${code}`)));
    return child;
  }

  #start(child: Child, task: Task): void {
    if (child.timer !== null) clearTimeout(child.timer);
    child.task = task;
    child.holds = task.holds;
    this.#children.delete(child);
    this.#children.add(child);
    const { taskMs } = this.#limits;
    this.#endAfter(child, readProcessorMs(child.process.pid ?? 0) ?? 0, taskMs, taskMs * maxClockTimes);
    // A channel that breaks is followed by the child's exit, which rejects the task.
    child.process.send(task.order, () => undefined);
  }

  /** Ends a child whose task, begun at `begunMs` of its processor time, is not done when its own time is over. */
  #endAfter(child: Child, begunMs: number, waitMs: number, clockMs: number): void {
    child.timer = setTimeout(() => {
      const computedMs = (readProcessorMs(child.process.pid ?? 0) ?? Number.POSITIVE_INFINITY) - begunMs;
      const leftMs = Math.min(this.#limits.taskMs - computedMs, clockMs - waitMs);
      if (leftMs > 0) {
        this.#endAfter(child, begunMs, leftMs, clockMs - waitMs);
        return;
      }
      child.endsFor = 'time';
      child.process.kill('SIGKILL');
    }, waitMs).unref();
  }

  #finish(child: Child, reply: TaskReply): void {
    const { task } = child;
    if (task === null) return;
    child.task = null;
    if (child.timer !== null) clearTimeout(child.timer);
    child.timer = setTimeout(() => {
      // From here on it is given nothing more.
      this.#children.delete(child);
      child.process.kill('SIGKILL');
    }, this.#limits.idleMs).unref();
    if (reply.kind === 'done') task.resolve(reply.output);
    else if (reply.kind === 'refused') task.reject(new WorkbenchError(reply.code, reply.message, reply.details));
    else task.reject(new Error(`A large call could not be prepared: ${reply.fault}`));
    this.#startNext();
  }

  #bury(child: Child, reason: WorkbenchError): void {
    if (!this.#children.delete(child)) return;
    if (child.timer !== null) clearTimeout(child.timer);
    child.task?.reject(reason);
    child.task = null;
    this.#startNext();
  }

  #explainEnd({ endsFor }: Child, how: string): WorkbenchError {
    const { taskMs, heapMb } = this.#limits;
    if (endsFor === 'time') {
      return new WorkbenchError(
        'unavailable',
        `Working on the call took longer than ${taskMs / 1_000} s and was ended; nothing was changed. Send less at once.`,
      );
    }
    // V8 aborts a process whose heap is full; where there are no signals, with this exit code.
    if (how === 'SIGABRT' || how === 'exit 134') {
      const message = `Working on the call takes more than ${heapMb} MB of memory; nothing was changed. Send less at once.`;
      return new WorkbenchError('validation_error', message, [
        { type: 'too_large', loc: ['body'], msg: `takes more than ${heapMb} MB of memory` },
      ]);
    }
    return endedEarly(how);
  }
}

function endedEarly(how: string): WorkbenchError {
  return new WorkbenchError('unavailable', `The process that works on large calls ended early (${how}). Ask again.`);
}
