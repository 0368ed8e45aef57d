import { createStore } from 'zustand/vanilla';
import type { Command } from './command.ts';

type RegistryState = {
  byOwner: ReadonlyMap<string, readonly Command[]>;
  put(owner: string, commands: readonly Command[]): void;
  remove(owner: string): void;
};

/** The commands that are available now: every visible part puts its own in and takes them out again. */
export function createCommandRegistry() {
  return createStore<RegistryState>()((set) => ({
    byOwner: new Map(),
    put: (owner, commands) => set((state) => ({ byOwner: new Map(state.byOwner).set(owner, commands) })),
    remove: (owner) =>
      set((state) => {
        const byOwner = new Map(state.byOwner);
        byOwner.delete(owner);
        return { byOwner };
      }),
  }));
}

export type CommandRegistry = ReturnType<typeof createCommandRegistry>;

/** All commands of the registry, innermost first; `keys` holds the reader's shortcuts in place of those given. */
export function listCommands(
  byOwner: ReadonlyMap<string, readonly Command[]>,
  keys: Readonly<Record<string, string>> = {},
): Command[] {
  return [...byOwner.values()]
    .reverse()
    .flat()
    .map((command) => {
      const chosen = keys[command.id];
      return chosen === undefined ? command : { ...command, keys: chosen };
    });
}
