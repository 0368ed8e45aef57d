import { useEffect, useRef } from 'react';
import { useStore } from 'zustand';
import { Palette } from './commands/palette.tsx';
import { ShortcutsDialog } from './commands/shortcuts.tsx';
import { useCommandList, useCommands, useShell, useShortcuts } from './commands/use-commands.ts';
import { CreateTypeDialog } from './pages/create-type-dialog.tsx';
import { LoginPage } from './pages/login-page.tsx';
import { TypePage } from './pages/type-page.tsx';
import { TypesPage } from './pages/types-page.tsx';
import { Busy, EmptyState } from './parts/layout.tsx';
import { goTo, useRoute } from './state/route.ts';
import { useUi, useWorkbench } from './workbench.tsx';

/** The frame around every page: head, skip link, overlays, notices and the live region. */
export function App() {
  const { session, ui } = useWorkbench();
  const status = useStore(session.store, (state) => state.status);
  const announcement = useUi((state) => state.announcement);
  const main = useRef<HTMLElement>(null);
  useShortcuts();
  useShell();
  const { show } = ui.getState();
  useCommands([
    {
      id: 'decision-type.new',
      title: 'New decision type',
      group: 'Create',
      keys: 'c',
      enabled: status === 'open',
      run: () => show('new-type'),
    },
    {
      id: 'palette.open',
      title: 'Search commands',
      group: 'Help',
      keys: 'Mod+K',
      inFields: true,
      run: () => show('palette'),
    },
    { id: 'shortcuts', title: 'Keyboard shortcuts', group: 'Help', keys: '?', run: () => show('shortcuts') },
    { id: 'types', title: 'Decision types', group: 'Go', keys: 'g h', run: () => goTo({ page: 'types' }) },
    { id: 'sign-out', title: 'Close this session', group: 'Help', run: () => session.close(null) },
  ]);
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Topbar onCommands={() => show('palette')} onHelp={() => show('shortcuts')} />
      <main ref={main} id="content" className="page" tabIndex={-1}>
        {status === 'starting' && <Busy>Opening the workbench…</Busy>}
        {status === 'closed' && <LoginPage />}
        {status === 'open' && <CurrentPage />}
      </main>
      <Overlays />
      <Notices />
      <div className="hidden" aria-live="polite" role="status">
        {announcement}
      </div>
    </div>
  );
}

function Topbar({ onCommands, onHelp }: { onCommands(): void; onHelp(): void }) {
  return (
    <header className="topbar">
      <a className="brand" href="#/">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="7" fill="var(--accent)" />
          <path
            d="M8 16h7l4-6h6M15 16l4 6h6"
            stroke="var(--on-accent)"
            strokeWidth="3"
            fill="none"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </svg>
        Decision Workbench
      </a>
      <span className="spacer" />
      <button type="button" className="small" onClick={onCommands}>
        Commands <kbd>Ctrl+K</kbd>
      </button>
      <button type="button" className="quiet small" aria-label="Keyboard shortcuts" onClick={onHelp}>
        <kbd>?</kbd>
      </button>
    </header>
  );
}

function CurrentPage() {
  const route = useRoute();
  useEffect(() => {
    document.title = route.page === 'type' ? `${route.tab} – Decision Workbench` : 'Decision Workbench';
  }, [route]);
  if (route.page === 'types') return <TypesPage />;
  if (route.page === 'type') return <TypePage key={route.id} id={route.id} tab={route.tab} />;
  return (
    <EmptyState title="There is nothing here" actions={<a href="#/">Decision types</a>}>
      The address names no page of the workbench.
    </EmptyState>
  );
}

function Overlays() {
  const { ui } = useWorkbench();
  const open = useUi((state) => state.open);
  const commands = useCommandList();
  const close = () => ui.getState().show(null);
  if (open === 'palette') return <Palette commands={commands} onClose={close} />;
  if (open === 'new-type') return <CreateTypeDialog onClose={close} />;
  if (open === 'shortcuts') return <ShortcutsDialog commands={commands} onClose={close} />;
  return null;
}

const noticeMs = 6_000;

function Notices() {
  const { ui } = useWorkbench();
  const notices = useUi((state) => state.notices);
  const oldestInfo = notices.find((notice) => notice.kind === 'info')?.id;
  useEffect(() => {
    if (oldestInfo === undefined) return;
    const timer = setTimeout(() => ui.getState().dismiss(oldestInfo), noticeMs);
    return () => clearTimeout(timer);
  }, [oldestInfo, ui]);
  return (
    <div className="notices">
      {notices.map((notice) => (
        <div key={notice.id} className={`note ${notice.kind}`}>
          <span>{notice.text}</span>
          <button
            type="button"
            className="quiet small"
            aria-label="Dismiss notice"
            onClick={() => ui.getState().dismiss(notice.id)}
          >
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
