import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useStore } from 'zustand';
import { Login } from './features/start/login.tsx';
import { Frame } from './frame/frame.tsx';
import { Busy } from './parts/notes.tsx';
import { useSettings, useWorkbench, type Workbench, WorkbenchContext } from './state/workbench.ts';
import { resolveVariables, theme } from './theme.ts';

/** The page with everything its parts need around them. */
export function App({ workbench }: { workbench: Workbench }) {
  return (
    <WorkbenchContext value={workbench}>
      <QueryClientProvider client={workbench.queries}>
        <Look>
          <Door />
        </Look>
      </QueryClientProvider>
    </WorkbenchContext>
  );
}

/** The look that the reader has chosen. */
export function Look({ children }: { children: ReactNode }) {
  const scheme = useSettings((settings) => settings.theme);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={resolveVariables}
      defaultColorScheme="auto"
      {...(scheme === 'auto' ? {} : { forceColorScheme: scheme })}
    >
      {children}
    </MantineProvider>
  );
}

function Door() {
  const { session, outbox, live } = useWorkbench();
  const status = useStore(session.store, (state) => state.status);
  useEffect(() => {
    if (status !== 'open') return;
    outbox.retry();
    return live.start();
  }, [status, outbox, live]);
  if (status === 'starting') return <Busy>Opening the workbench…</Busy>;
  return status === 'closed' ? <Login /> : <Frame />;
}
