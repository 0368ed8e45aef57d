import { QueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import { ApiError, type Client, createClient, type Fetch } from './api/client.ts';
import { createSession, type Session } from './api/session.ts';
import { type CommandRegistry, createCommandRegistry } from './commands/registry.ts';
import { createDraftStore, type DraftStore } from './state/drafts.ts';
import { createUiStore, type UiState, type UiStore } from './state/ui.ts';

/** Everything the pages share: made once, handed down by context. */
export type Workbench = {
  client: Client;
  session: Session;
  queries: QueryClient;
  ui: UiStore;
  drafts: DraftStore;
  commands: CommandRegistry;
};

/** Builds the parts of the page around the two borders, the network and the storage of the tab. */
export function createWorkbench(borders: { baseUrl: string; fetch: Fetch; storage: Storage }): Workbench {
  const session = createSession(borders.storage);
  const client = createClient({
    baseUrl: borders.baseUrl,
    fetch: borders.fetch,
    token: session.token,
    onUnauthorized: () => session.close('The session has ended or the token is not valid here.'),
  });
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        retry: (count, error) => count < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
        retryDelay: 400,
        staleTime: 2_000,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
  return {
    client,
    session,
    queries,
    ui: createUiStore(),
    drafts: createDraftStore(),
    commands: createCommandRegistry(),
  };
}

export const WorkbenchContext = createContext<Workbench | null>(null);

export function useWorkbench(): Workbench {
  const workbench = useContext(WorkbenchContext);
  if (!workbench) throw new Error('a page was shown outside the workbench');
  return workbench;
}

export function useUi<T>(select: (state: UiState) => T): T {
  return useStore(useWorkbench().ui, select);
}
