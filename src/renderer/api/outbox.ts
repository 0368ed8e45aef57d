/** Labels on their way to the server: kept until it has confirmed them, sent in order, sent again after a fault. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { ApiError } from '../../server/contract/client.ts';
import type { Example } from '../../server/contract/examples/examples.ts';
import type { Journal, LabelPatch, OutboxEntry } from './journal.ts';

type OutboxState = {
  /** Entries that wait, oldest first. */
  waiting: readonly OutboxEntry[];
  /** By example: its labels once everything waiting has arrived. */
  pending: ReadonlyMap<string, LabelPatch>;
  /** By example: its labels by all that this window has sent. A list read before does not know them. */
  given: ReadonlyMap<string, LabelPatch>;
};

type OutboxPorts = {
  journal: Journal;
  /** Sends one change; rejects with an ApiError. */
  send(entry: OutboxEntry): Promise<Example>;
  onSent(entry: OutboxEntry, example: Example): void;
  onRefused(entry: OutboxEntry, error: unknown): void;
  /** Identity of this window, and which windows are alive: entries of a closed window are taken over. */
  window: string;
  liveWindows(): Promise<ReadonlySet<string>>;
};

const retryMs = 1_000;

function mayPass(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500 || [401, 429].includes(error.status));
}

/** Adds labels to those of their example; a second reading is kept beside them. */
function addLabel(labels: Map<string, LabelPatch>, { exampleId, patch }: OutboxEntry): Map<string, LabelPatch> {
  return patch.second_reading ? labels : labels.set(exampleId, { ...labels.get(exampleId), ...patch });
}

const gatherPending = (waiting: readonly OutboxEntry[]) => waiting.reduce(addLabel, new Map<string, LabelPatch>());

function waitFor<State>(store: StoreApi<State>, isWanted: (state: State) => boolean): Promise<void> {
  if (isWanted(store.getState())) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = store.subscribe((state) => {
      if (!isWanted(state)) return;
      stop();
      resolve();
    });
  });
}

/** Creates the outbox. Sending the same change twice does no harm: each sets labels to fixed values. */
export function createOutbox(ports: OutboxPorts) {
  const store = createStore<OutboxState>()(() => ({ waiting: [], pending: new Map(), given: new Map() }));
  let sending = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let count = 0;
  /** Types of which this window has changed labels by other writes since it read its rows. */
  const unsure = new Set<string>();
  const setWaiting = (waiting: readonly OutboxEntry[]) => store.setState({ waiting, pending: gatherPending(waiting) });

  const pump = async (): Promise<void> => {
    if (sending) return;
    sending = true;
    clearTimeout(timer);
    try {
      for (let entry = store.getState().waiting[0]; entry; entry = store.getState().waiting[0]) {
        const { key } = entry;
        try {
          ports.onSent(entry, await ports.send(entry));
        } catch (error) {
          if (mayPass(error)) {
            timer = setTimeout(() => void pump(), retryMs);
            return;
          }
          ports.onRefused(entry, error);
          const given = new Map(store.getState().given);
          given.delete(entry.exampleId);
          store.setState({ given });
        }
        setWaiting(store.getState().waiting.filter((each) => each.key !== key));
        await ports.journal.removeEntry(key);
      }
    } finally {
      sending = false;
    }
  };

  return {
    store,
    /**
     * Takes a change of labels; it counts from now on, whatever becomes of the server. The server refuses it where the
     * decision is not the one it `replaces`; left out, it replaces any.
     */
    put: (typeId: string, exampleId: string, patch: LabelPatch, replaces?: string | null): void => {
      count += 1;
      const key = `${Date.now().toString().padStart(15, '0')}-${count.toString().padStart(6, '0')}-${ports.window}`;
      const seen = replaces === undefined || unsure.has(typeId) ? {} : { replaces };
      const entry: OutboxEntry = { key, window: ports.window, typeId, exampleId, patch, ...seen };
      const { waiting, given } = store.getState();
      setWaiting([...waiting, entry]);
      store.setState({ given: addLabel(new Map(given), entry) });
      void ports.journal.putEntry(entry).then(pump);
    },
    /** Lets what the server says about an example count again, unless a change of it waits. */
    forget: (exampleId: string): void => {
      const { given, pending } = store.getState();
      if (!given.has(exampleId) || pending.has(exampleId)) return;
      store.setState({ given: new Map([...given].filter(([id]) => id !== exampleId)) });
    },
    /** This window has changed labels of a type otherwise: what its rows show says no more what a label replaces. */
    distrust: (typeId: string): void => {
      unsure.add(typeId);
      store.setState(({ pending }) => ({ given: pending }));
    },
    /** Rows of a type are read again. */
    trust: (typeId: string): void => void unsure.delete(typeId),
    retry: () => void pump(),
    /** Takes over the unsent labels of a closed window. */
    adopt: async (): Promise<void> => {
      const [{ entries }, live] = await Promise.all([ports.journal.load(), ports.liveWindows()]);
      const left = entries.filter(({ window }) => window !== ports.window && !live.has(window));
      if (left.length === 0) return;
      setWaiting([...left.sort((a, b) => a.key.localeCompare(b.key)), ...store.getState().waiting]);
      await pump();
    },
    settled: (typeId: string): Promise<void> =>
      waitFor(store, ({ waiting }) => !waiting.some((entry) => entry.typeId === typeId)),
  };
}
export type Outbox = ReturnType<typeof createOutbox>;
