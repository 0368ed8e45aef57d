import type { QueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { Client } from '../../server/contract/client.ts';
import type { Acts } from '../api/acts.ts';
import type { Health } from '../api/health.ts';
import type { Live } from '../api/live.ts';
import type { Outbox } from '../api/outbox.ts';
import type { Session } from '../api/session.ts';
import type { CommandRegistry } from '../commands/registry.ts';
import type { DraftStore } from './drafts.ts';
import type { Settings, SettingsStore } from './settings.ts';
import type { UiState, UiStore } from './ui.ts';

/** Everything the places share: made once, handed down by context. */
export type Workbench = {
  client: Client;
  session: Session;
  queries: QueryClient;
  live: Live;
  health: Health;
  outbox: Outbox;
  acts: Acts;
  ui: UiStore;
  drafts: DraftStore;
  settings: SettingsStore;
  commands: CommandRegistry;
  /** Names this tab to the server, the same after a reload. */
  tabName: string;
};

export const WorkbenchContext = createContext<Workbench | null>(null);

/** Returns the state that all places share. */
export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext);
  if (!workbench) throw new Error('a place was shown outside the workbench');
  return workbench;
}

/** Selects from the state of the window; renders again only when the selection changes. */
export function useUi<T>(select: (state: UiState) => T): T {
  return useStore(useWorkbench().ui, select);
}

/** Selects from the settings of this browser; renders again only when the selection changes. */
export function useSettings<T>(select: (state: Settings) => T): T {
  return useStore(useWorkbench().settings.store, select);
}
