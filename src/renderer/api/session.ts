import { createStore } from 'zustand/vanilla';

/** What a desktop shell may offer the page; absent in a browser. */
export type Bridge = {
  sessionToken?: () => Promise<string | null> | string | null;
  setUnsavedDrafts?: (count: number) => void;
  onCommand?: (listener: (commandId: string) => void) => () => void;
};
declare global {
  interface Window {
    workbench?: Bridge;
  }
}

export type SessionState = { token: string | null; status: 'starting' | 'open' | 'closed'; problem: string | null };
type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const storageKey = 'decision-workbench.session';

/** Who is working: the session token, kept for this browser tab only. */
export function createSession(storage: Store) {
  const store = createStore<SessionState>()(() => ({ token: null, status: 'starting', problem: null }));
  return {
    store,
    token: () => store.getState().token,
    /** Takes a token, trimmed; it is trusted until the server refuses it. */
    open: (token: string) => {
      storage.setItem(storageKey, token.trim());
      store.setState({ token: token.trim(), status: 'open', problem: null });
    },
    close: (problem: string | null) => {
      storage.removeItem(storageKey);
      store.setState({ token: null, status: 'closed', problem });
    },
    stored: () => storage.getItem(storageKey),
  };
}

export type Session = ReturnType<typeof createSession>;

/** The one-time login code of an address `…/#login=CODE`, or null. */
export function loginCodeOf(hash: string): string | null {
  return /^#\/?login=([^&]+)/.exec(hash)?.[1] ?? null;
}

/**
 * Finds a session: the shell's token, then a one-time code of the address, then what this tab has kept. `exchange`
 * turns a code into a token and rejects for a used one.
 */
export async function startSession(
  session: Session,
  place: { bridge: Bridge | undefined; hash: string; clearHash(): void },
  exchange: (code: string) => Promise<string>,
): Promise<void> {
  const fromShell = await place.bridge?.sessionToken?.();
  if (typeof fromShell === 'string' && fromShell !== '') return session.open(fromShell);
  const code = loginCodeOf(place.hash);
  if (code !== null) {
    place.clearHash();
    try {
      return session.open(await exchange(decodeURIComponent(code)));
    } catch (error) {
      if (session.stored() === null) {
        return session.close(error instanceof Error ? error.message : 'The login link could not be used.');
      }
    }
  }
  const stored = session.stored();
  return stored === null ? session.close(null) : session.open(stored);
}
