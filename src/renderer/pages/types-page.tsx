import { useState } from 'react';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import { useChange, useOperation } from '../api/queries.ts';
import { useCommands } from '../commands/use-commands.ts';
import { Busy, EmptyState, ErrorNote, moment } from '../parts/layout.tsx';
import { formatRoute, goTo } from '../state/route.ts';
import { useWorkbench } from '../workbench.tsx';

/** All decision types with their state. */
export function TypesPage() {
  const { ui } = useWorkbench();
  const newType = () => ui.getState().show('new-type');
  const [page, setPage] = useState(1);
  const list = useOperation('decision_types.list', { query: { page, page_size: 50 } }, { keepPrevious: true });
  const samples = useOperation('samples.list', {});
  const openSample = useChange('samples.create');
  const sample = samples.data?.[0];
  const startSample = (name: string) => {
    const existing = list.data?.items.find((type) => type.name === name);
    if (existing) return goTo({ page: 'type', id: existing.id, tab: 'examples' });
    openSample.mutate(
      { params: { name } },
      { onSuccess: (type) => goTo({ page: 'type', id: type.id, tab: 'examples' }) },
    );
  };
  useCommands([
    ...(samples.data ?? []).map((each) => ({
      id: `sample-${each.name}`,
      title: `Open sample project: ${each.title}`,
      group: 'Create',
      run: () => startSample(each.name),
    })),
  ]);
  const newButton = (
    <button type="button" className="primary" onClick={newType}>
      New decision type
    </button>
  );
  const sampleButton = sample && (
    <button type="button" disabled={openSample.isPending} onClick={() => startSample(sample.name)}>
      Open sample project
    </button>
  );
  const items = list.data?.items ?? [];
  return (
    <>
      <div className="page-head">
        <div>
          <h1>Decision types</h1>
          <p className="lead">A named question with fixed options: rules and a trained classifier answer it.</p>
        </div>
        {items.length > 0 && (
          <div className="row">
            {sampleButton}
            {newButton}
          </div>
        )}
      </div>
      <div className="stack">
        {openSample.isPending && <Busy>Making the sample project…</Busy>}
        {openSample.isError && <ErrorNote error={openSample.error} />}
        {list.isError && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
        {list.isPending && <Busy>Loading decision types…</Busy>}
        {list.isSuccess && items.length === 0 && (
          <EmptyState
            title="No decision types yet"
            actions={
              <>
                {newButton}
                {sampleButton}
              </>
            }
          >
            Name a question your program asks again and again, list its possible answers, give a few dozen examples of
            each, and train. Or look around in a sample project first: it brings rules and labelled examples.
          </EmptyState>
        )}
        {items.length > 0 && <TypesTable items={items} />}
        {list.data && list.data.pages > 1 && (
          <Pager page={page} pages={list.data.pages} total={list.data.total} onPage={setPage} />
        )}
      </div>
    </>
  );
}

function TypesTable({ items }: { items: readonly DecisionType[] }) {
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Status</th>
            <th scope="col">Options</th>
            <th scope="col" className="num">
              Rules
            </th>
            <th scope="col">Changed</th>
          </tr>
        </thead>
        <tbody>
          {items.map((type) => (
            <tr key={type.id}>
              <td>
                <a className="type-link" href={formatRoute({ page: 'type', id: type.id, tab: 'define' })}>
                  {type.name}
                </a>
                {type.description && <span className="clip muted small">{type.description}</span>}
              </td>
              <td>
                <TypeStatus type={type} />
              </td>
              <td>
                <span className="clip" style={{ maxWidth: '20rem' }}>
                  {type.active_version.options.join(', ')}
                </span>
              </td>
              <td className="num">{type.active_version.hard_rules.length}</td>
              <td>{moment(type.updated_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function TypeStatus({ type }: { type: DecisionType }) {
  if (type.availability?.state === 'unavailable') {
    return (
      <span className="badge bad" title={type.availability.reason ?? ''}>
        Unavailable
      </span>
    );
  }
  if (type.needs_retraining) return <span className="badge warn">Needs retraining</span>;
  if (type.model_deployed) return <span className="badge good">Deployed</span>;
  return <span className="badge">Needs training</span>;
}

export function Pager({
  page,
  pages,
  total,
  onPage,
}: {
  page: number;
  pages: number;
  total: number;
  onPage(page: number): void;
}) {
  return (
    <nav className="row between" aria-label="Pages">
      <span className="muted small">
        Page {page} of {Math.max(1, pages)} · {total.toLocaleString()} in all
      </span>
      <span className="row">
        <button type="button" className="small" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          Previous page
        </button>
        <button type="button" className="small" disabled={page >= pages} onClick={() => onPage(page + 1)}>
          Next page
        </button>
      </span>
    </nav>
  );
}
