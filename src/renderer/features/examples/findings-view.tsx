import { Button } from '@mantine/core';
import { useState } from 'react';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { takesKeys, useRowsFocus } from '../../commands/key-focus.ts';
import { moveCursor } from '../../parts/data-grid.tsx';
import { Figure } from '../../parts/figure.tsx';
import { Busy, EmptyState, ErrorNote } from '../../parts/notes.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Inspector, Pane, PlaceLayout } from '../../parts/panes.tsx';
import { count } from '../../parts/text/figures.ts';
import { isolate, showUnseen } from '../../parts/text/names.ts';
import { notifyFailure } from '../../state/notices.tsx';
import { useOperation } from '../../state/queries.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useUndo } from '../../state/use-undo.ts';
import { useWorkbench } from '../../state/workbench.ts';
import { ExampleCard, type ViewProps } from './card-view.tsx';
import { QueuePane } from './queue-pane.tsx';

type Finding = OutputOf<'data_findings.list'>['items'][number];

/** Tells findings apart, so that the cursor stays on one when the list is read again. */
function toKey({ kind, field, example_ids }: Finding): string {
  return [kind, field, ...example_ids].join(' ');
}

/** The likelier label of a finding, where it is an option that may be taken. */
function findLikelier(type: DecisionType, { suggested_decision }: Finding): string | null {
  return type.active_version.options.find((option) => option === suggested_decision) ?? null;
}

const pageSize = 50;
const maxShownRows = 10;
const computingPollMs = 1_000;

/** The findings page by page, with the chosen one; the cursor belongs to a finding, not to a place in the list. */
function useFindings(type: DecisionType) {
  const [page, setPage] = useState(1);
  const [cursor, setCursor] = useState<string | null>(null);
  const list = useOperation(
    'data_findings.list',
    { params: { decision_type_id: type.id }, query: { page, page_size: pageSize } },
    { keepPrevious: true, refetchMs: (data) => (data?.state === 'computing' ? computingPollMs : false) },
  );
  const items = list.data?.items ?? [];
  const place = Math.max(
    0,
    items.findIndex((item) => toKey(item) === cursor),
  );
  const choose = (finding: Finding | undefined) => finding && setCursor(toKey(finding));
  return {
    list,
    items,
    page,
    current: items[place],
    choose,
    move: (by: number) => choose(items[moveCursor(place, by, items.length)]),
    turnTo: (next: number) => {
      setPage(next);
      setCursor(null);
    },
  };
}

type Findings = ReturnType<typeof useFindings>;

/** The keys of the findings: through the list, and the likelier label for all rows of the chosen one. */
function useFindingCommands(type: DecisionType, { current, move }: Findings): void {
  const { undoRow } = useUndo(type.id);
  const { acts, ui } = useWorkbench();
  const likelier = current ? findLikelier(type, current) : null;
  /** One act over all rows of the finding, so that one undo takes it back. */
  const takeLikelier = () => {
    if (!current || likelier === null) return;
    const body = { ids: current.example_ids, action: 'set_decision' as const, decision: likelier };
    const title = `${count(current.example_ids.length, 'example')} labelled ${isolate(likelier)}`;
    move(1);
    acts
      .bulk(type.id, body, title, current.example_ids.length)
      .then(
        ({ exampleCount }) =>
          ui.getState().announce(`Labelled ${isolate(likelier)}: ${count(exampleCount, 'example')}`),
        notifyFailure,
      );
  };
  useCommands([
    {
      id: 'finding-take',
      title: likelier === null ? 'Take the likelier label' : `Label the rows of the finding ${isolate(likelier)}`,
      group: 'Label',
      keys: 'l',
      enabled: likelier !== null,
      run: takeLikelier,
    },
    { id: 'finding-next', title: 'Next finding', group: 'Label', keys: 'ArrowDown', run: () => move(1) },
    { id: 'finding-previous', title: 'Previous finding', group: 'Label', keys: 'ArrowUp', run: () => move(-1) },
    { id: 'finding-undo', title: 'Undo', group: 'Label', keys: 'u', run: undoRow },
  ]);
}

/** Lists what may be wrong with the examples, worst first; the rows of the chosen finding stand beside it. */
export function FindingsView({ type, stats, queue, onQueue, tools, title }: ViewProps) {
  const findings = useFindings(type);
  const { list, items, page, current } = findings;
  useRowsFocus(items.length > 0 ? String(page) : null);
  useFindingCommands(type, findings);
  return (
    <PlaceLayout
      id="examples-findings"
      side={<QueuePane type={type} stats={stats} queue={queue} onQueue={onQueue} />}
      main={
        <Pane
          title={title}
          level={1}
          tools={tools}
          head={
            list.data && (
              <Figure className="muted" says="What may be wrong with the examples, the worst first.">
                {count(list.data.total, 'finding')}
              </Figure>
            )
          }
        >
          {list.isError && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
          {(list.isPending || list.data?.state === 'computing') && <Busy>Searching the examples…</Busy>}
          {list.data?.state === 'ready' && items.length === 0 && (
            <EmptyState title="Nothing was found">
              No contradiction, duplicate, suspect label or other problem is known.
            </EmptyState>
          )}
          {items.length > 0 && (
            <p className="part muted">
              <kbd>↓</kbd> <kbd>↑</kbd> choose · <kbd>L</kbd> gives the rows their likelier label · <kbd>U</kbd> undo
            </p>
          )}
          <ol className="cell-rows" aria-label="Findings" tabIndex={-1} {...takesKeys}>
            {items.map((finding) => (
              <li key={`${toKey(finding)} ${finding.message}`} data-cursor={finding === current ? true : undefined}>
                <button type="button" aria-expanded={finding === current} onClick={() => findings.choose(finding)}>
                  <span className="wrap">{showUnseen(finding.message)}</span>
                  <span className="muted">{finding.kind.replaceAll('_', ' ')}</span>
                </button>
              </li>
            ))}
          </ol>
          {list.data && <Pages page={page} pages={list.data.pages} onPage={findings.turnTo} />}
        </Pane>
      }
      beside={current && current.example_ids.length > 0 ? <FindingRows type={type} finding={current} /> : undefined}
    />
  );
}

/** The first rows of a finding, each with the likelier label to take. */
function FindingRows({ type, finding }: { type: DecisionType; finding: Finding }) {
  const shown = finding.example_ids.slice(0, maxShownRows);
  return (
    <Inspector title="The rows of the finding">
      {shown.map((id) => (
        <FindingRow key={id} type={type} id={id} likelier={findLikelier(type, finding)} />
      ))}
      {finding.example_count > shown.length && (
        <p className="part muted">and {(finding.example_count - shown.length).toLocaleString()} more</p>
      )}
    </Inspector>
  );
}

function FindingRow({ type, id, likelier }: { type: DecisionType; id: string; likelier: string | null }) {
  const { acts, ui } = useWorkbench();
  const example = useOperation('examples.get', { params: { decision_type_id: type.id, example_id: id } });
  if (example.isError) return <ErrorNote error={example.error} />;
  if (!example.data) return <Busy>Loading the example…</Busy>;
  const row = example.data;
  const take = () => {
    if (likelier === null) return;
    const title = `Labelled ${isolate(likelier)}`;
    acts.label(type.id, row, { expected_decision: likelier, reviewed: true }, title);
    ui.getState().announce(title);
  };
  return (
    <div className="part stack tight">
      <ExampleCard type={type} example={row} />
      {likelier !== null && likelier !== row.expected_decision && (
        <div>
          <Button variant="default" onClick={take}>
            Label {isolate(likelier)}
          </Button>
        </div>
      )}
    </div>
  );
}
