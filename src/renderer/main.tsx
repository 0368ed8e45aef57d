/** The page in the browser and in the desktop window: an ordinary client of the local REST interface. */
import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import '@mantine/spotlight/styles.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/parts.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { openJournal } from './api/journal.ts';
import { sessionKey, signInByLinks, startSession } from './api/session.ts';
import { App } from './app.tsx';
import { createWorkbench } from './create-workbench.ts';
import { loadPlace } from './frame/places.tsx';
import { parseRoute } from './state/route.ts';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id root');

const route = parseRoute(window.location.hash);
// The script of the place comes beside what is read of the type, not after it; where it does not, the place says so.
if (route.page === 'type') void loadPlace(route.place).catch(() => undefined);

const windowId = crypto.randomUUID();
const lockPrefix = 'decision-workbench.window.';
// Held as long as the window lives: other windows see by it whose labels they may take over.
void navigator.locks?.request(lockPrefix + windowId, () => new Promise<never>(() => undefined));

const workbench = createWorkbench({
  baseUrl: '',
  fetch: (input, init) => window.fetch(input, init),
  storage: window.sessionStorage,
  kept: window.localStorage,
  journal: openJournal(),
  windowId,
  lead: async (listen, signal) => {
    if (!navigator.locks) return listen();
    await navigator.locks.request('decision-workbench.events', { signal }, listen);
  },
  liveWindows: async () => {
    const { held = [] } = (await navigator.locks?.query()) ?? {};
    return new Set(held.flatMap(({ name }) => (name?.startsWith(lockPrefix) ? [name.slice(lockPrefix.length)] : [])));
  },
});

// Only other tabs of this browser are heard here.
window.addEventListener('storage', ({ key, newValue }) => {
  if (key === sessionKey) workbench.session.follow(newValue);
});

void signInByLinks(() =>
  startSession(
    workbench.session,
    {
      bridge: window.workbench,
      hash: window.location.hash,
      clearHash: () => window.history.replaceState(null, '', '#/'),
    },
    async (code) => (await workbench.client.call('session.create', { body: { code } })).token,
  ),
).then(() => {
  void workbench.acts.load();
  void workbench.outbox.adopt();
});

createRoot(root).render(
  <StrictMode>
    <App workbench={workbench} />
  </StrictMode>,
);
