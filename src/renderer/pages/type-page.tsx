import { type KeyboardEvent, useRef } from 'react';
import { useStore } from 'zustand';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import { useChange, useOperation } from '../api/queries.ts';
import { useCommands } from '../commands/use-commands.ts';
import { Busy, ErrorNote } from '../parts/layout.tsx';
import { changedFields, toDraft } from '../state/drafts.ts';
import { formatRoute, goTo, type TypeTab, typeTabs } from '../state/route.ts';
import { useWorkbench } from '../workbench.tsx';
import { DefineTab } from './define-tab.tsx';
import { ExamplesTab } from './examples-tab.tsx';
import { LogsTab } from './logs-tab.tsx';
import { ResultsTab } from './results-tab.tsx';
import { RulesTab } from './rules-tab.tsx';
import { SaveBar } from './save-bar.tsx';
import { TrainTab } from './train-tab.tsx';
import { TryTab } from './try-tab.tsx';
import { TypeStatus } from './types-page.tsx';
import { UseTab } from './use-tab.tsx';

const tabs: Record<TypeTab, { title: string; key: string; view: (props: { type: DecisionType }) => React.ReactNode }> =
  {
    define: { title: 'Define', key: 'd', view: DefineTab },
    rules: { title: 'Rules', key: 'r', view: RulesTab },
    examples: { title: 'Examples', key: 'e', view: ExamplesTab },
    train: { title: 'Train', key: 't', view: TrainTab },
    results: { title: 'Results', key: 's', view: ResultsTab },
    try: { title: 'Try', key: 'y', view: TryTab },
    logs: { title: 'Logs', key: 'l', view: LogsTab },
    use: { title: 'Use', key: 'u', view: UseTab },
  };

/** One decision type: its head and the tab that the address names. */
export function TypePage({ id, tab }: { id: string; tab: TypeTab }) {
  const { drafts, ui } = useWorkbench();
  const query = useOperation('decision_types.get', { params: { decision_type_id: id } });
  const remove = useChange('decision_types.delete');
  const type = query.data;
  const present = useStore(drafts, (state) => state.byType[id]?.history.present);
  const unsaved = type && present ? changedFields(toDraft(type), present).length > 0 : false;
  const drop = () => {
    if (!type || !window.confirm(`Delete the decision type “${type.name}”? Programs can no longer ask it.`)) return;
    remove.mutate(
      { params: { decision_type_id: id } },
      {
        onSuccess: () => {
          drafts.getState().discard(id);
          ui.getState().notify('info', `${type.name} was deleted.`);
          goTo({ page: 'types' });
        },
      },
    );
  };
  useCommands([
    ...typeTabs.map((name) => ({
      id: `tab-${name}`,
      title: `${tabs[name].title} tab`,
      group: 'Go',
      keys: `g ${tabs[name].key}`,
      run: () => goTo({ page: 'type', id, tab: name }),
    })),
    { id: 'delete-type', title: 'Delete this decision type', group: 'Edit', run: drop },
  ]);
  if (query.isPending) return <Busy>Loading the decision type…</Busy>;
  if (!type) {
    return (
      <div className="stack">
        <ErrorNote error={query.error} retry={() => void query.refetch()} />
        <a href={formatRoute({ page: 'types' })}>All decision types</a>
      </div>
    );
  }
  const View = tabs[tab].view;
  return (
    <>
      <nav aria-label="Place" className="small">
        <a href={formatRoute({ page: 'types' })}>Decision types</a>
      </nav>
      <div className="page-head">
        <div>
          <h1>{type.name}</h1>
          {type.description && <p className="lead">{type.description}</p>}
        </div>
        <div className="row">
          <TypeStatus type={type} />
          <span className="badge">Version {type.active_version.version_number}</span>
          {unsaved && <span className="badge warn">Unsaved changes</span>}
        </div>
      </div>
      {remove.isError && <ErrorNote error={remove.error} />}
      <Tabs id={id} current={tab} />
      <div role="tabpanel" id="tabpanel" aria-labelledby={`tab-${tab}`}>
        <View type={type} />
        {(tab === 'define' || tab === 'rules') && <SaveBar type={type} />}
      </div>
    </>
  );
}

function Tabs({ id, current }: { id: string; current: TypeTab }) {
  const list = useRef<HTMLDivElement>(null);
  const moved = (event: KeyboardEvent) => {
    const at = typeTabs.indexOf(current);
    const targets: Record<string, number> = {
      ArrowRight: (at + 1) % typeTabs.length,
      ArrowLeft: (at + typeTabs.length - 1) % typeTabs.length,
      Home: 0,
      End: typeTabs.length - 1,
    };
    const target = typeTabs[targets[event.key] ?? -1];
    if (!target) return;
    event.preventDefault();
    goTo({ page: 'type', id, tab: target });
    list.current?.querySelector<HTMLElement>(`#tab-${target}`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label="Parts of the decision type" ref={list} onKeyDown={moved}>
      {typeTabs.map((name) => (
        <button
          key={name}
          id={`tab-${name}`}
          type="button"
          role="tab"
          aria-selected={name === current}
          aria-controls="tabpanel"
          tabIndex={name === current ? 0 : -1}
          onClick={() => goTo({ page: 'type', id, tab: name })}
        >
          {tabs[name].title}
        </button>
      ))}
    </div>
  );
}
