/** The page in the browser and in the desktop window: an ordinary client of the local REST interface. */
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/base.css';
import './styles/parts.css';
import { startSession } from './api/session.ts';
import { App } from './app.tsx';
import { createWorkbench, WorkbenchContext } from './workbench.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id root');

const workbench = createWorkbench({
  baseUrl: '',
  fetch: (input, init) => window.fetch(input, init),
  storage: window.sessionStorage,
});

void startSession(
  workbench.session,
  {
    bridge: window.workbench,
    hash: window.location.hash,
    clearHash: () => window.history.replaceState(null, '', '#/'),
  },
  async (code) => (await workbench.client.call('session.create', { body: { code } })).token,
);

createRoot(root).render(
  <StrictMode>
    <WorkbenchContext value={workbench}>
      <QueryClientProvider client={workbench.queries}>
        <App />
      </QueryClientProvider>
    </WorkbenchContext>
  </StrictMode>,
);
