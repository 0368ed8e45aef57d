/** Large requests: which are let in, and where they are worked on. */
import { ChildPool, type PoolLimits } from '../process/child-pool.ts';
import type { SpawnChild } from '../process/spawn-child.ts';
import { Admission } from './admission.ts';
import type { TaskInput, TaskName, TaskOutput, Tasks } from './tasks.ts';

const kibibyte = 1024;
/** A body read on the server's thread: the worst of 100 kB took 28 ms, to ask a child costs 1 ms. */
export const maxLightBodyBytes = 100 * kibibyte;
/** Room that a task takes whose request is small but can be much work. */
const taskWeightBytes = 8 * kibibyte * kibibyte;
/** A file is held with all its cells while its rows are planned: 100,000 rows of 20 cells take 240 MB. */
const heldLimits = { maxChildren: 2, heapMb: 384, idleMs: 5 * 60_000 };
/** A task that waits for a busy machine has ten times its time by the clock. */
const defaultLimits = { maxChildren: 3, heapMb: 256, taskMs: 60_000, clockMs: 600_000, idleMs: 60_000 };
/** Tasks that read a file of anybody's making: how long one takes follows from it only within wide bounds. */
const ofFiles: ReadonlySet<TaskName> = new Set(['readImport', 'readMovedFile', 'stageTextModel']);
const work = { name: 'preparation-child', work: 'works on large calls', isSizedByCaller: true } as const;

/** A body that is not read on the main thread, too large or a form with a file, as its bytes. */
export class LargeBody {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  constructor(bytes: Uint8Array, contentType = 'application/json') {
    this.bytes = bytes;
    this.contentType = contentType;
  }
}

/** An answer that was written out elsewhere, as its bytes; of one that is the same for everybody, how it is kept. */
export class WrittenAnswer {
  readonly bytes: Uint8Array;
  readonly kept: { etag: string; gzip: Uint8Array } | null;
  constructor(bytes: Uint8Array, kept: WrittenAnswer['kept'] = null) {
    this.bytes = bytes;
    this.kept = kept;
  }
}

export class Preparation {
  readonly #admission = new Admission();
  readonly #pool: ChildPool<Tasks>;
  /** Where the files of open imports are held and planned; another one is read again when it is asked about. */
  readonly heldFiles: ChildPool<Tasks>;

  constructor(spawn: SpawnChild, limits: Partial<PoolLimits> = {}) {
    const options = { spawn, ...work, ...defaultLimits };
    this.#pool = new ChildPool({ ...options, slow: ofFiles, ...limits });
    this.heldFiles = new ChildPool({ ...options, ...heldLimits, forget: ({ give }) => give('forgetUpload', null) });
  }

  /** Takes room for a request with a large body until it is answered; throws as `Admission.enter`. */
  admit(callerId: string, bodyBytes: number): () => void {
    return this.#admission.enter(callerId, bodyBytes);
  }

  /** Runs a task of a request that is small, or was admitted with its large body; rejects as `ChildPool.run`. */
  run<N extends TaskName>(callerId: string, name: N, input: TaskInput<N>): Promise<TaskOutput<N>> {
    return this.#pool.run(callerId, name, input);
  }

  /** Runs a task that is much work although its request is small: takes room for it as well. */
  async runAdmitted<N extends TaskName>(callerId: string, name: N, input: TaskInput<N>): Promise<TaskOutput<N>> {
    const leave = this.#admission.enter(callerId, taskWeightBytes);
    try {
      return await this.#pool.run(callerId, name, input);
    } finally {
      leave();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.heldFiles.close(), this.#pool.close()]);
  }
}
