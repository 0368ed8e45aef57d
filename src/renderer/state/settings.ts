/** The reader's preferences, kept in this browser. */
import { createStore } from 'zustand/vanilla';
import type { Query } from './route.ts';

export type Settings = {
  theme: 'light' | 'dark' | 'auto';
  /** The name under which labels of this browser are kept; empty for that of the session. */
  reader: string;
  /** Shortcuts that the reader chose, by the id of the command. */
  keys: Readonly<Record<string, string>>;
  recent: readonly string[];
  /** Colour slots of options, by decision type: an option keeps its colour for ever. */
  colours: Readonly<Record<string, ColourSlots>>;
  /** How the table of a decision type's examples is set up. */
  tables: Readonly<Record<string, TableSettings>>;
};
/** The ids of the columns to show, in their order, and the addresses of views by their names. */
type TableSettings = { columns?: readonly string[]; views?: Readonly<Record<string, Query>> };
export type ColourSlots = Readonly<Record<string, number>>;
type Store = Pick<Storage, 'getItem' | 'setItem'>;

const storageKey = 'decision-workbench.settings';
const initial: Settings = { theme: 'auto', reader: '', keys: {}, recent: [], colours: {}, tables: {} };
const maxRecent = 12;

function readSettings(storage: Store): Settings {
  try {
    const stored: unknown = JSON.parse(storage.getItem(storageKey) ?? '{}');
    return typeof stored === 'object' && stored !== null ? { ...initial, ...stored } : initial;
  } catch {
    // Unreadable settings count as none.
    return initial;
  }
}

/** The colour slots with one more for each option that has none: the lowest that is free. */
export function giveSlots(known: ColourSlots, options: readonly string[]): ColourSlots {
  const fresh = options.filter((option) => !Object.hasOwn(known, option));
  if (fresh.length === 0) return known;
  const taken = new Set(Object.values(known));
  const free = Array.from({ length: taken.size + fresh.length }, (_, slot) => slot).filter((slot) => !taken.has(slot));
  return { ...known, ...Object.fromEntries(fresh.map((option, place) => [option, free[place] ?? 0])) };
}

/** Creates the settings and keeps every change of them. */
export function createSettings(storage: Store) {
  const store = createStore<Settings>()(() => readSettings(storage));
  store.subscribe((settings) => storage.setItem(storageKey, JSON.stringify(settings)));
  return {
    store,
    setTheme: (theme: Settings['theme']) => store.setState({ theme }),
    setReader: (reader: string) => store.setState({ reader }),
    /** The name of the reader as calls take it; nothing where none is given. */
    readReader: (): { reader?: string } => {
      const reader = store.getState().reader.trim();
      return reader === '' ? {} : { reader };
    },
    /** Sets the keys of a command; null gives it back its own. */
    setKeys: (commandId: string, keys: string | null) => {
      const { [commandId]: _old, ...rest } = store.getState().keys;
      store.setState({ keys: keys === null ? rest : { ...rest, [commandId]: keys } });
    },
    setTable: (typeId: string, table: TableSettings) =>
      store.setState(({ tables }) => ({ tables: { ...tables, [typeId]: { ...tables[typeId], ...table } } })),
    noteUse: (commandId: string) => {
      const { recent } = store.getState();
      store.setState({ recent: [commandId, ...recent.filter((id) => id !== commandId)].slice(0, maxRecent) });
    },
    assignColours: (typeId: string, options: readonly string[]) => {
      const known = store.getState().colours[typeId] ?? {};
      const slots = giveSlots(known, options);
      if (slots !== known) store.setState(({ colours }) => ({ colours: { ...colours, [typeId]: slots } }));
    },
    /** Keeps an option's colour under both names, as a rename can be undone. */
    shareColour: (typeId: string, from: string, to: string) => {
      const known = store.getState().colours[typeId] ?? {};
      const slot = known[from];
      if (slot === undefined) return;
      store.setState(({ colours }) => ({ colours: { ...colours, [typeId]: { ...known, [to]: slot } } }));
    },
  };
}

export type SettingsStore = ReturnType<typeof createSettings>;
