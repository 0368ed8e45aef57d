/** What must outlive a reload: labels on their way to the server, and the acts that can be undone. */
import { type DBSchema, openDB } from 'idb';
import type { Example, ExampleInput } from '../../server/contract/examples.ts';
import type { OperationName } from '../../server/contract/operations.ts';

export type LabelPatch = Partial<Pick<Example, 'expected_decision' | 'reviewed' | 'reason_codes' | 'status'>>;

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

/**
 * How an act is taken back: by the labels that stood before, by the server's token, by deleting what was added, by
 * restoring a decision type, or by one call of another operation.
 */
export type UndoStep =
  | { kind: 'label'; exampleId: string; before: LabelPatch; after: LabelPatch }
  | {
      kind: 'bulk';
      token: string /** Deleted rows, to be added again where the token is too old. */;
      rows: ExampleInput[];
    }
  | { kind: 'added'; exampleIds: string[] }
  | { kind: 'type'; deletedId: string }
  | { kind: 'call'; name: OperationName; input: unknown };

/** The type of acts that are about no type at hand: deleting one. */
export const noType = '';

/** Something a person did. */
export type Act = { key: string; typeId: string; title: string; at: number; step: UndoStep };

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
      return { entries: await db.getAll('outbox'), acts: await db.getAll('acts') };
    },
    putEntry: async (entry) => void (await (await opened).put('outbox', entry)),
    removeEntry: async (key) => (await opened).delete('outbox', key),
    putAct: async (act) => void (await (await opened).put('acts', act)),
    removeAct: async (key) => (await opened).delete('acts', key),
  };
}

/** A journal for windows without a database: it lasts as long as the window. */
export function createMemoryJournal(): Journal {
  const entries = new Map<string, OutboxEntry>();
  const acts = new Map<string, Act>();
  return {
    load: async () => ({ entries: [...entries.values()], acts: [...acts.values()] }),
    putEntry: async (entry) => void entries.set(entry.key, entry),
    removeEntry: async (key) => void entries.delete(key),
    putAct: async (act) => void acts.set(act.key, act),
    removeAct: async (key) => void acts.delete(key),
  };
}
