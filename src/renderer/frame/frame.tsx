import { Button, Modal, Tooltip } from '@mantine/core';
import { useDocumentTitle, useWindowEvent } from '@mantine/hooks';
import { lazy, memo, Suspense, useEffect, useRef, useState } from 'react';
import type { DecisionType } from '../../server/contract/types/decision-types.ts';
import { noType } from '../api/journal.ts';
import { useFocusBack } from '../commands/key-focus.ts';
import { NewTypeDialog } from '../features/start/new-type-dialog.tsx';
import { Start } from '../features/start/start.tsx';
import { Busy, EmptyState, ErrorNote } from '../parts/notes.tsx';
import { useAssignedColours } from '../parts/option.tsx';
import { PaneBoundary } from '../parts/panes.tsx';
import { ShortcutTable } from '../parts/shortcut-table.tsx';
import { isolate, showUnseen } from '../parts/text/names.ts';
import { leaveNotices, notifyFailure } from '../state/notices.tsx';
import { useListedTypes, useOperation } from '../state/queries.ts';
import { goTo, parseRoute, places, type Route, settingsSections, settingsTitles, useRoute } from '../state/route.ts';
import { useCommands, useShell, useShortcuts } from '../state/use-commands.ts';
import { useUndo } from '../state/use-undo.ts';
import { useUi, useWorkbench } from '../state/workbench.ts';
import { Bar } from './bar.tsx';
import { DropAnywhere } from './drop-anywhere.tsx';
import { openPalette, Palette } from './palette.tsx';
import { loadPlacesAhead, placeSpecs, readPlaceAhead } from './places.tsx';
import { Rail } from './rail.tsx';
import { StatusLine } from './status-line.tsx';
import { useTypeState } from './type-state.ts';

/** Fields are typed into: what they say on hover would lie over the work. */
const silent = 'input, textarea, select';

/** Has a field without words of its own say on hover what it is too narrow for; a select cannot know whether it is. */
function sayWhole({ target }: PointerEvent): void {
  const isSelect = target instanceof HTMLSelectElement;
  if (!isSelect && !(target instanceof HTMLInputElement && target.type === 'text')) return;
  if (target.title !== '' && target.dataset['said'] === undefined) return;
  const whole = isSelect ? (target.selectedOptions[0]?.text ?? '') : target.value;
  target.dataset['said'] = '';
  target.title = isSelect || target.scrollWidth > target.clientWidth ? showUnseen(whole) : '';
}

type Shown = { target: HTMLElement; text: string };

/** Returns the hover text of a focused element; null if it was not reached by keyboard or has none. */
function findShown(target: HTMLElement): Shown | null {
  if (target.matches(silent) || !target.matches(':focus-visible')) return null;
  const inside = target.matches('button') ? [...target.querySelectorAll<HTMLElement>('.number[title]')] : [];
  const text = target.title || inside.map(({ title }) => title).join(' ');
  return text === '' ? null : { target, text };
}

/** Shows on focus by keyboard what an element, or the figures in a button, say on hover; Escape takes it away. */
function FocusedTitle() {
  const [shown, setShown] = useState<Shown | null>(null);
  useWindowEvent('focusin', ({ target }) => setShown(target instanceof HTMLElement ? findShown(target) : null));
  useWindowEvent('focusout', () => setShown(null));
  useWindowEvent('pointerover', sayWhole);
  useWindowEvent('keydown', ({ key }) => key === 'Escape' && setShown(null));
  return shown && <Tooltip key={shown.text} opened target={shown.target} label={shown.text} />;
}

type QuestionProps = { heading?: string; title: string; yes?: string; run(): void; onClose(): void };

/** Asks before more rows than one are changed, or such an act is taken back; Enter leaves all as it is. */
function QuestionDialog({ heading = 'Undo this?', title, yes = 'Undo it', run, onClose }: QuestionProps) {
  const take = () => {
    onClose();
    run();
  };
  return (
    <Modal opened title={heading} onClose={onClose}>
      <div className="stack">
        <p className="wrap">{title}</p>
        <div className="row between">
          <Button data-autofocus onClick={onClose}>
            {yes === 'Undo it' ? 'Keep it' : 'Cancel'}
          </Button>
          <Button variant="filled" onClick={take}>
            {yes}
          </Button>
        </div>
      </div>
    </Modal>
  );
}

// It comes when it is first opened: all but its looks and keys asks the server anyway.
const SettingsPlace = lazy(async () => ({
  default: (await import('../features/settings/settings.tsx')).SettingsPlace,
}));

// It is loaded ahead with the places.
const ImportDesk = lazy(async () => ({ default: (await import('../features/import/import-desk.tsx')).ImportDesk }));

// A policy decides before there is anything to publish.
const PublishDialog = lazy(async () => ({
  default: (await import('../features/deploy/publish-dialog.tsx')).PublishDialog,
}));

const loadAheadMs = 800;

/** The window: bar, rail, the place that the address names, status line, and overlays. */
export function Frame() {
  const route = useRoute();
  const typeId = route.page === 'type' ? route.id : null;
  const list = useListedTypes();
  const own = useOperation(
    'decision_types.get',
    { params: { decision_type_id: typeId ?? '' }, query: {} },
    { enabled: typeId !== null },
  );
  const types = list.data?.items ?? [];
  const type = own.data ?? types.find(({ id }) => id === typeId) ?? null;
  useAssignedColours(type);
  const state = useTypeState(typeId, type);
  const main = useRef<HTMLElement>(null);
  const announcement = useUi((ui) => ui.announcement);
  useShortcuts();
  useFocusBack();
  useShell();
  useTitle(route, type);
  useReadingAhead();
  useFrameCommands(route, types);
  const place = route.page === 'type' ? `${route.id} ${route.place}` : route.page;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place is left each time
  useEffect(() => leaveNotices, [place]);
  useEffect(() => {
    const timer = setTimeout(() => void loadPlacesAhead().catch(() => undefined), loadAheadMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="frame">
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Bar route={route} type={type} state={state} />
      <Rail route={route} types={types} state={state} />
      <main ref={main} className="main" tabIndex={-1}>
        <PaneBoundary key={route.page === 'type' ? route.place : route.page}>
          <Suspense fallback={<Busy>Opening…</Busy>}>
            <CurrentPlace
              route={route}
              type={type}
              error={own.error ?? (list.isError ? list.error : null)}
              types={list.data?.items}
            />
          </Suspense>
        </PaneBoundary>
      </main>
      <StatusLine type={type} state={state} />
      <Overlays type={type} />
      <DropAnywhere />
      <FocusedTitle />
      <div className="hidden" aria-live="polite" role="status">
        {announcement}
      </div>
    </div>
  );
}

type CurrentPlaceProps = {
  route: Route;
  type: DecisionType | null;
  types: readonly DecisionType[] | undefined;
  error: unknown;
};

/** Drawn again only where the place or its type is another: the figures of the rail move with each label. */
const CurrentPlace = memo(function CurrentPlace({ route, type, types, error }: CurrentPlaceProps) {
  if (route.page === 'start') {
    if (types) return <Start types={types} />;
    return error ? <ErrorNote error={error} /> : <Busy>Opening the workbench…</Busy>;
  }
  if (route.page === 'new') return <ImportDesk type={null} />;
  if (route.page === 'settings') return <SettingsPlace section={route.section} />;
  if (route.page === 'type') {
    if (type) {
      const View = placeSpecs[route.place].view;
      return <View key={type.id} type={type} />;
    }
    return error ? <ErrorNote error={error} /> : <Busy>Loading the decision type…</Busy>;
  }
  return (
    <EmptyState
      title="There is nothing here"
      actions={
        <Button variant="filled" onClick={() => goTo({ page: 'start' })}>
          Go to the start
        </Button>
      }
    >
      This address leads nowhere in the workbench.
    </EmptyState>
  );
});

/** Prefetches the data of a place when the address changes to it, before it is drawn. */
function useReadingAhead(): void {
  const workbench = useWorkbench();
  // It comes before `hashchange`, by which the place is drawn.
  useWindowEvent('popstate', () => readPlaceAhead(workbench, parseRoute(window.location.hash)));
}

function useTitle(route: Route, type: DecisionType | null): void {
  const name = route.page === 'type' ? (type?.name ?? '') : '';
  const place = route.page === 'type' ? placeSpecs[route.place].title : route.page === 'settings' ? 'Settings' : '';
  useDocumentTitle([place, isolate(name), 'Decision Workbench'].filter((part) => part !== '').join(' · '));
}

function useFrameCommands(route: Route, types: readonly DecisionType[]): void {
  const { ui, session, settings, drafts, acts } = useWorkbench();
  const { show } = ui.getState();
  const { sayDone } = useUndo(noType);
  const type = route.page === 'type' ? (types.find(({ id }) => id === route.id) ?? null) : null;
  const drop = async () => {
    if (!type || !window.confirm(`Delete the decision type “${isolate(type.name)}”? Programs can no longer ask it.`))
      return;
    // Left first, so that pending requests of the place are cancelled: its type would be gone.
    const left = new Promise((done) => window.addEventListener('hashchange', done, { once: true }));
    goTo({ page: 'start' });
    await left;
    try {
      const act = await acts.deleteType(type.id, `Deleted ${isolate(type.name)}`);
      drafts.getState().discard(type.id);
      const text = `${isolate(type.name)} is deleted. For two days it can be brought back.`;
      sayDone(text, act);
    } catch (error) {
      notifyFailure(error);
    }
  };
  useCommands('Go', [
    { id: 'palette.open', title: 'Search commands', group: 'Help', keys: 'Mod+K', inFields: true, run: openPalette },
    { id: 'shortcuts', title: 'Keyboard shortcuts', group: 'Help', keys: '?', run: () => show('shortcuts') },
    { id: 'decision-type.new', title: 'New decision type', group: 'Create', run: () => show('new-type') },
    { id: 'new-from-file', title: 'New decision type from a file', group: 'Create', run: () => goTo({ page: 'new' }) },
    { id: 'types', title: 'Start', keys: 'g h', run: () => goTo({ page: 'start' }) },
    ...settingsSections.map((section) => ({
      id: `settings-${section}`,
      title: `Settings: ${settingsTitles[section]}`,
      ...(section === 'keys' ? { keys: 'g s' } : {}),
      run: () => goTo({ page: 'settings', section }),
    })),
    ...(['light', 'dark', 'auto'] as const).map((theme) => ({
      id: `theme-${theme}`,
      title: theme === 'auto' ? 'Theme of the system' : `${theme === 'light' ? 'Light' : 'Dark'} theme`,
      group: 'Look',
      run: () => settings.setTheme(theme),
    })),
    { id: 'sign-out', title: 'Close this session', group: 'Help', run: () => session.close(null) },
    ...(type
      ? [
          ...places.map((place) => ({
            id: `place-${place}`,
            title: placeSpecs[place].title,
            keys: `g ${placeSpecs[place].key}`,
            run: () => goTo({ page: 'type', id: type.id, place }),
          })),
          {
            id: 'go-to-export',
            title: 'Export bundle',
            enabled: route.page === 'type' && route.place !== 'deploy',
            run: () => goTo({ page: 'type', id: type.id, place: 'deploy' }),
          },
          { id: 'delete-type', title: 'Delete this decision type', group: 'Edit', run: () => void drop() },
        ]
      : []),
    ...types.map(({ id, name }) => ({
      id: `type-${id}`,
      title: isolate(name),
      group: 'Types',
      run: () => goTo({ page: 'type', id, place: route.page === 'type' ? route.place : 'examples' }),
    })),
  ]);
}

const Overlays = memo(function Overlays({ type }: { type: DecisionType | null }) {
  const { ui } = useWorkbench();
  const open = useUi((state) => state.open);
  const question = useUi((state) => state.question);
  const close = () => ui.getState().show(null);
  return (
    <>
      <Palette />
      {open === 'new-type' && <NewTypeDialog onClose={close} />}
      {open === 'shortcuts' && (
        <Modal opened title="Keyboard shortcuts" onClose={close} size="lg">
          <ShortcutTable />
        </Modal>
      )}
      {open === 'publish' && type && (
        <Suspense>
          <PublishDialog key={type.id} type={type} onClose={close} />
        </Suspense>
      )}
      {question && <QuestionDialog {...question} onClose={() => ui.getState().ask(null)} />}
    </>
  );
});
