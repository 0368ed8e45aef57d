import { nextTurn } from '../../../door/turns.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { requireScope } from '../../auth/auth.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Scope } from '../../contract/operation.ts';
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

/** The steps of a change of a type's examples. */
export type ChangeSteps = {
  /** Begins the change, or turns one back; throws with nothing changed. */
  begin(): void;
  /** Writes with the last part. */
  end?(): void;
  /** Turns back what was begun, and the scope that it takes; null where it goes on to its end. */
  cancelling: { scope: Scope; turnBack(): void } | null;
};
type Changing = ChangeSteps & { parts: number; isCancelled: boolean };

/** A change tells how far it is once it has taken longer than a person takes for at once. */
const untoldMs = 500;

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
  /** Changes in parts under way, by type. */
  readonly #changing = new Map<string, Changing>();

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
   * Does the parts of a change of a type's examples: about as many as `parts`, all at once where that is one. Throws or
   * rejects as `begin`, and with `conflict` once it is cancelled, with nothing changed.
   */
  change(typeId: string, parts: number, steps: ChangeSteps): ChangeDone | Promise<ChangeDone> {
    const done = { affected: 0, heldOut: 0 };
    if (parts > 1) {
      const changing = { ...steps, parts, isCancelled: false };
      return this.#inTurn(typeId, () => this.#changeParts(typeId, done, changing)).finally(() =>
        this.#forgetChange(typeId, changing),
      );
    }
    return this.#deps.store.transaction(() => {
      steps.begin();
      while (!this.#changePart(typeId, done, steps)) {}
      return done;
    });
  }

  /** Cancels the change of a type's examples; resolves when it is turned back. Throws `conflict` or `forbidden`. */
  cancel(caller: Caller, typeId: string): Promise<void> | undefined {
    const changing = this.#changing.get(typeId);
    if (changing === undefined) throw new WorkbenchError('conflict', 'No change of many examples is under way.');
    if (changing.cancelling === null) {
      throw new WorkbenchError('conflict', 'An undo goes on to its end. Make the change again afterwards.');
    }
    requireScope(caller, changing.cancelling.scope);
    changing.isCancelled = true;
    return this.whenDone(typeId);
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

  async #changeParts(typeId: string, done: ChangeDone, changing: Changing): Promise<ChangeDone> {
    const { store, clock } = this.#deps;
    const { transaction, writeLock } = store;
    const begunMs = clock.monotonic();
    await writeLock.whenFree();
    let isWhole = transaction(() => {
      changing.begin();
      return this.#changePart(typeId, done, changing);
    });
    this.#changing.set(typeId, changing);
    try {
      for (let part = 1; !isWhole; part += 1) {
        if (clock.monotonic() - begunMs > untoldMs) this.#tell(typeId, changing, part);
        await nextTurn();
        await writeLock.whenFree();
        if (changing.isCancelled)
          throw new WorkbenchError('conflict', 'The change was cancelled; nothing was changed.');
        isWhole = transaction(() => this.#changePart(typeId, done, changing));
      }
    } catch (error) {
      transaction(() => (changing.isCancelled ? changing.cancelling?.turnBack() : store.exampleChanges.giveUp(typeId)));
      throw error;
    }
    return done;
  }

  #tell(typeId: string, { parts, cancelling }: Changing, part: number | null): void {
    const { store, events } = this.#deps;
    const { organisationId } = (events.isHeard && store.decisionTypes.find(typeId)) || {};
    if (organisationId === undefined) return;
    // Parts are bounded by their bytes, too: of long inputs there are more than was thought.
    const share = part === null ? null : Math.min(0.99, part / parts);
    const cancellable = cancelling !== null;
    events.tell(organisationId, { event: 'progress', decision_type_id: typeId, share, cancellable });
  }

  #forgetChange(typeId: string, changing: Changing): void {
    if (this.#changing.get(typeId) !== changing) return;
    this.#changing.delete(typeId);
    this.#tell(typeId, changing, null);
  }

  /** Does the next part of the change that is under way; returns whether it was the last one. */
  #changePart(typeId: string, done: ChangeDone, { end }: ChangeSteps): boolean {
    const part = this.#deps.store.exampleChanges.goOn(typeId);
    if (part === null) throw new Error('A change of examples was begun and is not there.');
    done.affected += part.affected;
    done.heldOut += part.heldOut;
    if (part.isLast) end?.();
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
