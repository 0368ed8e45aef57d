import { nextTurn } from '../../../door/turns.ts';
import type { Foundation } from '../../foundation.ts';
import type { ChangeDone } from '../../store/examples/example-changes.ts';
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

/**
 * Adds and changes examples of large calls part by part, so that others write in between. Calls about the type
 * wait until it is whole again: of what breaks off, an addition is removed, and a change goes on to its end.
 */
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
    await this.#inTurn(rows.decisionTypeId, () => this.#addParts(rows, ...how));
  }

  /**
   * Begins a change of a type's examples, or turns one back, by `begin`, and does its parts: all at once where
   * `isSmall`. `end` writes with the last one. Throws or rejects as `begin`, with nothing changed.
   */
  change(typeId: string, isSmall: boolean, begin: () => void, end = () => {}): ChangeDone | Promise<ChangeDone> {
    const done = { affected: 0, heldOut: 0 };
    if (!isSmall) return this.#inTurn(typeId, () => this.#changeParts(typeId, done, begin, end));
    return this.#deps.store.transaction(() => {
      begin();
      while (!this.#changePart(typeId, done, end)) {}
      return done;
    });
  }

  async #inTurn<Done>(typeId: string, write: () => Promise<Done>): Promise<Done> {
    const turn = this.#underWay.get(typeId) ?? Promise.resolve();
    const writing = turn.then(() => this.#writeAll(typeId, write));
    const ended = writing.catch(() => undefined);
    this.#underWay.set(typeId, ended);
    try {
      return await writing;
    } finally {
      if (this.#underWay.get(typeId) === ended) this.#underWay.delete(typeId);
    }
  }

  async #writeAll<Done>(typeId: string, write: () => Promise<Done>): Promise<Done> {
    await this.#removeRest(typeId);
    this.#unfinished.add(typeId);
    try {
      const done = await write();
      this.#unfinished.delete(typeId);
      return done;
    } catch (error) {
      // A rest that stays now goes before anybody is shown the type's examples again.
      await this.#removeRest(typeId).catch(() => undefined);
      throw error;
    }
  }

  async #changeParts(typeId: string, done: ChangeDone, begin: () => void, end: () => void): Promise<ChangeDone> {
    const { transaction, writeLock } = this.#deps.store;
    await writeLock.whenFree();
    let isWhole = transaction(() => {
      begin();
      return this.#changePart(typeId, done, end);
    });
    try {
      while (!isWhole) {
        await nextTurn();
        await writeLock.whenFree();
        isWhole = transaction(() => this.#changePart(typeId, done, end));
      }
    } catch (error) {
      transaction(() => this.#deps.store.exampleChanges.giveUp(typeId));
      throw error;
    }
    return done;
  }

  /** Does the next part of the change that is under way; returns whether it was the last one. */
  #changePart(typeId: string, done: ChangeDone, end: () => void): boolean {
    const part = this.#deps.store.exampleChanges.goOn(typeId);
    if (part === null) throw new Error('A change of examples was begun and is not there.');
    done.affected += part.affected;
    done.heldOut += part.heldOut;
    if (part.isLast) end();
    return part.isLast;
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
    await this.settle(decisionTypeId);
    this.#unfinished.delete(decisionTypeId);
  }

  /** Removes additions that never came to their end, and ends changes, of one type or, at the start, of all. */
  async settle(decisionTypeId: string | null = null): Promise<void> {
    const { examples, exampleChanges, transaction, writeLock } = this.#deps.store;
    await writeLock.whenFree();
    while (transaction(() => examples.removePart(decisionTypeId))) await nextTurn();
    while (transaction(() => exampleChanges.goOn(decisionTypeId)) !== null) await nextTurn();
  }
}
