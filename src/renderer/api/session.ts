/** Who is working: the session token, where it comes from and how long it is kept. */
import { createStore } from 'zustand/vanilla';
import type { WorkbenchBridge } from '../../preload/bridge.ts';

declare global {
  interface Window {
    /** Set by the desktop window's preload script; absent in a browser. */
    workbench?: WorkbenchBridge;
  }
}

type SessionState = { token: string | null; status: 'starting' | 'open' | 'closed'; problem: string | null };
type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Where the token is kept in this browser's storage. */
export const sessionKey = 'decision-workbench.session';

/** Creates the session, whose token is kept for all tabs of this browser. */
export function createSession(storage: Store) {
  const store = createStore<SessionState>()(() => ({ token: null, status: 'starting', problem: null }));
  return {
    store,
    token: () => store.getState().token,
    /** Takes a token, trimmed; it is trusted until the server refuses it. */
    open: (token: string) => {
      storage.setItem(sessionKey, token.trim());
      store.setState({ token: token.trim(), status: 'open', problem: null });
    },
    /** Ends the session in every tab, unless another tab has signed in again: then this one goes on with its token. */
    close: (problem: string | null) => {
      const kept = storage.getItem(sessionKey);
      if (kept !== null && kept !== store.getState().token) return store.setState({ token: kept });
      storage.removeItem(sessionKey);
      store.setState({ token: null, status: 'closed', problem });
    },
    /** Follows another tab: signs in with its token, or out where it is null. */
    follow: (token: string | null) =>
      store.setState(token === null ? { token, status: 'closed' } : { token, status: 'open', problem: null }),
    stored: () => storage.getItem(sessionKey),
  };
}

export type Session = ReturnType<typeof createSession>;

/** Returns the one-time login code of an address `…/#login=CODE`, or of its part behind the #; else null. */
export function readLoginCode(hash: string): string | null {
  return /#\/?login=([^&\s]+)/.exec(hash)?.[1] ?? null;
}

/** Finds a session: the desktop's token, a one-time code of the address (by `exchange`), or the kept one. */
export async function startSession(
  session: Session,
  place: { bridge: WorkbenchBridge | undefined; hash: string; clearHash(): void },
  exchange: (code: string) => Promise<string>,
): Promise<void> {
  if (place.bridge) return session.open(await place.bridge.sessionToken());
  const code = readLoginCode(place.hash);
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

/** Signs in now, and again whenever the address becomes a login link, as where one is opened in this tab. */
export function signInByLinks(signIn: () => Promise<void>): Promise<void> {
  window.addEventListener('hashchange', () => {
    if (readLoginCode(window.location.hash) !== null) void signIn();
  });
  return signIn();
}
