/** Trainings that wait in this window: the service runs one at a time, and refuses a second one. */
import { createStore } from 'zustand/vanilla';
import { isInProgress } from '../../engine/domain/training.ts';
import { ApiError } from '../../server/contract/client.ts';
import type { InputOf, OutputOf } from '../../server/contract/operations.ts';

export type TrainingOrder = InputOf<'training.start'>;
type Holder = { decision_type_id: string; policy_id: string };
type Ports = {
  start(order: TrainingOrder): Promise<OutputOf<'training.start'>>;
  readStatus(holder: Holder): Promise<Parameters<typeof isInProgress>[0]>;
  /** Hears of a training that was refused for another reason than that one is in progress. */
  refused(order: TrainingOrder, error: unknown): void;
};

const pollMs = 1_500;

/** The training that holds the slot, as its refusal names it; null where something else was refused. */
export function findHolder(error: unknown): Holder | null {
  if (!(error instanceof ApiError) || error.code !== 'conflict') return null;
  const holder = error.details[0] as Partial<Holder> | undefined;
  const { decision_type_id, policy_id } = holder ?? {};
  return decision_type_id === undefined || policy_id === undefined ? null : { decision_type_id, policy_id };
}

/** Starts trainings one after the other, each as soon as the one before it has ended; one a type waits. */
export function createTrainingQueue({ start, readStatus, refused }: Ports) {
  const store = createStore<{ waiting: readonly TrainingOrder[] }>()(() => ({ waiting: [] }));
  const typeOf = (order: TrainingOrder) => order.params.decision_type_id;
  const remove = (typeId: string) =>
    store.setState(({ waiting }) => ({ waiting: waiting.filter((order) => typeOf(order) !== typeId) }));
  let isWatching = false;

  const hasEnded = async (holder: Holder) => !isInProgress(await readStatus(holder));
  /** Starts the first one, where the slot is free; returns the training that has it then. */
  async function advance(): Promise<Holder | null> {
    const [first] = store.getState().waiting;
    if (first === undefined) return null;
    try {
      const { policy_id } = await start(first);
      remove(typeOf(first));
      return { decision_type_id: typeOf(first), policy_id };
    } catch (error) {
      const holder = findHolder(error);
      if (holder !== null) return holder;
      remove(typeOf(first));
      refused(first, error);
      return null;
    }
  }
  function watch(holder: Holder): void {
    isWatching = true;
    setTimeout(async () => {
      // While the server does not answer, the queue waits.
      const isOver = await hasEnded(holder).catch(
        (error: unknown) => error instanceof ApiError && error.status === 404,
      );
      let next: Holder | null = isOver ? null : holder;
      while (next === null && store.getState().waiting.length > 0) next = await advance();
      isWatching = false;
      if (next !== null && store.getState().waiting.length > 0) watch(next);
    }, pollMs);
  }
  return {
    store,
    /** Has a training wait for the end of the one that holds the slot; it takes the place of its type's. */
    add(order: TrainingOrder, holder: Holder): void {
      store.setState(({ waiting }) => ({
        waiting: [...waiting.filter((other) => typeOf(other) !== typeOf(order)), order],
      }));
      if (!isWatching) watch(holder);
    },
    remove,
  };
}

export type TrainingQueue = ReturnType<typeof createTrainingQueue>;
