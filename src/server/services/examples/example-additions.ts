import { nextTurn } from '../../../door/turns.ts';
import type { Foundation } from '../../foundation.ts';
import type { ExampleRows } from '../../store/examples/examples.ts';

type AdditionSteps = [
  check: () => void,
  alongside?: () => void,
  signal?: AbortSignal,
  /** Writes of other rows, each small; the type must not be shown before the last transaction. */
  others?: readonly (() => void)[],
  /** Hears the share that is written, from 0 to 1. */
  onProgress?: (share: number) => void,
];

/** Adds rows of large calls part by part, so that others write in between; what breaks off is removed. */
export class ExampleAdditions {
  readonly #deps: Foundation;
  /** The last addition to each type that has one under way. Never rejects. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** Types that may have parts which do not count. */
  readonly #unfinished = new Set<string>();

  constructor(deps: Foundation) {
    this.#deps = deps;
  }

  /** Resolves when a type has its examples wholly; undefined when it has them now. Rejects when it cannot. */
  whenDone(decisionTypeId: string): Promise<void> | undefined {
    const isWhole = !this.#underWay.has(decisionTypeId) && !this.#unfinished.has(decisionTypeId);
    return isWhole ? undefined : this.#awaitTurn(decisionTypeId);
  }

  async #awaitTurn(decisionTypeId: string): Promise<void> {
    while (this.#underWay.has(decisionTypeId)) await this.#underWay.get(decisionTypeId);
    await this.#removeRest(decisionTypeId);
  }

  /** Adds all rows or none: `check` throws in the first transaction, `alongside` writes into the last one. */
  async add(rows: ExampleRows, ...how: AdditionSteps): Promise<void> {
    const { decisionTypeId } = rows;
    const turn = this.#underWay.get(decisionTypeId) ?? Promise.resolve();
    const adding = turn.then(() => this.#addAll(rows, ...how));
    const ended = adding.catch(() => undefined);
    this.#underWay.set(decisionTypeId, ended);
    try {
      await adding;
    } finally {
      if (this.#underWay.get(decisionTypeId) === ended) this.#underWay.delete(decisionTypeId);
    }
  }

  async #addAll(rows: ExampleRows, ...how: AdditionSteps): Promise<void> {
    await this.#removeRest(rows.decisionTypeId);
    this.#unfinished.add(rows.decisionTypeId);
    try {
      await this.#addParts(rows, ...how);
      this.#unfinished.delete(rows.decisionTypeId);
    } catch (error) {
      // Rows that cannot be removed now are removed before anybody is shown the type's examples again.
      await this.#removeRest(rows.decisionTypeId).catch(() => undefined);
      throw error;
    }
  }

  async #addParts(
    rows: ExampleRows,
    ...[check, alongside, signal, others = [], onProgress]: AdditionSteps
  ): Promise<void> {
    const { examples, transaction, writeLock } = this.#deps.store;
    const slices = Math.max(1, rows.slices.length);
    const last = slices + others.length - 1;
    for (let index = 0; index <= last; index += 1) {
      await writeLock.whenFree();
      signal?.throwIfAborted();
      transaction(() => {
        if (index === 0) check();
        if (index < slices) examples.insertPart(rows, index);
        else others[index - slices]?.();
        if (index < last) return;
        examples.keepParts(rows.decisionTypeId);
        alongside?.();
      });
      onProgress?.((index + 1) / (last + 1));
      if (index < last) await nextTurn();
    }
  }

  async #removeRest(decisionTypeId: string): Promise<void> {
    if (!this.#unfinished.has(decisionTypeId)) return;
    await this.removeUnfinished(decisionTypeId);
    this.#unfinished.delete(decisionTypeId);
  }

  /** Removes the parts of additions that never came to their end, of one type or, at the start, of all. */
  async removeUnfinished(decisionTypeId: string | null = null): Promise<void> {
    const { examples, transaction, writeLock } = this.#deps.store;
    await writeLock.whenFree();
    while (transaction(() => examples.removePart(decisionTypeId))) await nextTurn();
  }
}
