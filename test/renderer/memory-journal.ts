/** The journal of a window in stories: it lasts as long as the window. */
import type { Act, Journal, OutboxEntry } from '../../src/renderer/api/journal.ts';

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
