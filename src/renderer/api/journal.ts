/** State that must survive a reload: labels on their way to the server, and the acts that can be undone. */
import { type DBSchema, openDB } from 'idb';
import type { Example } from '../../server/contract/examples/examples.ts';
import type { InputOf, OperationName } from '../../server/contract/operations.ts';

/** Labels of an example; as a `second_reading` they stand beside those that it has. */
export type LabelPatch = Partial<
  Pick<Example, 'expected_decision' | 'reviewed' | 'must' | 'reason_codes' | 'status' | 'note'>
> & { second_reading?: true };

/** A change of one example that the server has not confirmed yet. */
export type OutboxEntry = {
  key: string;
  window: string;
  typeId: string;
  exampleId: string;
  patch: LabelPatch;
  /** The decision that stood there when it was changed. */
  replaces?: string | null;
};

export type ServerCall = { [N in OperationName]: { name: N; input: InputOf<N> } }[OperationName];

export type CallsBack = ServerCall | readonly ServerCall[];

/** How an act is taken back and done again: by the labels before and after it, or by calls of the server. */
export type ActStep =
  | { kind: 'label'; exampleId: string; before: LabelPatch; after: LabelPatch }
  | { kind: 'calls'; undo: readonly ServerCall[]; redo: readonly ServerCall[] };

/** The type of acts that are about no type at hand: deleting one. */
export const noType = '';

/** Something a person did; `exampleCount` says to how many examples, 0 where it was about something else. */
export type Act = {
  key: string;
  typeId: string;
  title: string;
  exampleCount: number;
  /** Test rows among the examples that stay measured by their first labels. */
  heldOut?: number;
  at: number;
  step: ActStep;
};

export type Journal = {
  load(): Promise<{ entries: OutboxEntry[]; acts: Act[] }>;
  putEntry(entry: OutboxEntry): Promise<void>;
  removeEntry(key: string): Promise<void>;
  putAct(act: Act): Promise<void>;
  removeAct(key: string): Promise<void>;
};

interface JournalSchema extends DBSchema {
  outbox: { key: string; value: OutboxEntry };
  acts: { key: string; value: Act };
}

/** Opens the journal in the browser's own database. */
export function openJournal(): Journal {
  const opened = openDB<JournalSchema>('decision-workbench', 1, {
    upgrade: (db) => {
      db.createObjectStore('outbox', { keyPath: 'key' });
      db.createObjectStore('acts', { keyPath: 'key' });
    },
  });
  return {
    load: async () => {
      const db = await opened;
      // Acts that an earlier program noted otherwise cannot be taken back by this one.
      const acts = (await db.getAll('acts')).filter(({ exampleCount }) => exampleCount !== undefined);
      return { entries: await db.getAll('outbox'), acts };
    },
    putEntry: async (entry) => void (await (await opened).put('outbox', entry)),
    removeEntry: async (key) => (await opened).delete('outbox', key),
    putAct: async (act) => void (await (await opened).put('acts', act)),
    removeAct: async (key) => (await opened).delete('acts', key),
  };
}
