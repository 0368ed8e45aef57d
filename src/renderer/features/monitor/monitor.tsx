import './monitor.css';
import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { lazy, type Ref, Suspense, useMemo, useRef } from 'react';
import type { LogRecord } from '../../../server/contract/deciding/logs.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import type { GridColumn } from '../../parts/grid/columns.ts';
import { Grid, type GridHandle } from '../../parts/grid/grid.tsx';
import { Busy, EmptyState, ErrorNote, Moment } from '../../parts/notes.tsx';
import { OptionName, toChoices, toColumnWidth } from '../../parts/option.tsx';
import { Pages } from '../../parts/pages.tsx';
import { Pane, Place } from '../../parts/panes.tsx';
import { useDownload } from '../../parts/save-file.ts';
import { decimal, percent } from '../../parts/text/figures.ts';
import { summariseInput } from '../../parts/text/inputs.ts';
import { useOperation } from '../../state/queries.ts';
import { changeQuery, goTo, useQueryPart } from '../../state/route.ts';
import { useCommands } from '../../state/use-commands.ts';
import { Overview } from './overview.tsx';
import { readOwnProbability } from './own-probability.ts';

const Retention = lazy(async () => ({ default: (await import('./retention.tsx')).Retention }));
const RecordDrawer = lazy(async () => ({ default: (await import('./record-drawer.tsx')).RecordDrawer }));

const pageSize = 100;
const liveMs = 3_000;
/** Days that the charts can show. */
const periods = ['7', '14', '30', '90'] as const;

/** The decisions as they are made, what they say together, and one of them whole. */
export function Monitor({ type }: { type: DecisionType }) {
  const query = useQueryPart();
  const params = { decision_type_id: type.id };
  const page = Math.max(1, Number(query.page) || 1);
  const review = query.review === 'yes';
  const period = periods.find((days) => days === query.days) ?? periods[1];
  const filter = query.decision ? { decision: query.decision } : {};
  const input = { params, query: { page, page_size: pageSize, ...filter, ...(review ? { review } : {}) } };
  const list = useOperation('logs.list', input, { keepPrevious: true, ...(page === 1 ? { refetchMs: liveMs } : {}) });
  const items = list.data?.items ?? [];
  const cursor = items.findIndex(({ id }) => id === query.record);
  const record = items[cursor] ?? null;
  const grid = useRef<GridHandle>(null);
  const choose = (index: number) => changeQuery({ record: items[index]?.id ?? '' }, { replace: true });
  const close = () => changeQuery({ record: '' }, { replace: true });
  useCommands('Go', [{ id: 'refresh-log', title: 'Read the log again', run: () => void list.refetch() }]);
  if (list.isPending) return <Busy>Loading the log…</Busy>;
  if (list.data?.total === 0 && !review && !query.decision) {
    return <NoDecisions type={type} />;
  }
  return (
    <Place
      id="monitor"
      title="Monitor"
      still
      tools={<Tools type={type} period={period} review={review} decision={query.decision ?? ''} />}
      inspector={
        record && (
          <Suspense>
            <RecordDrawer
              key={record.id}
              type={type}
              record={record}
              onClose={close}
              onFocus={() => grid.current?.focus()}
            />
          </Suspense>
        )
      }
    >
      <div className="table-view">
        <Overview type={type} days={Number(period)} />
        <Records type={type} list={list} page={page} items={items} cursor={cursor} handle={grid} onCursor={choose} />
      </div>
    </Place>
  );
}

type RecordsProps = {
  type: DecisionType;
  list: ReturnType<typeof useOperation<'logs.list'>>;
  page: number;
  items: readonly LogRecord[];
  cursor: number;
  handle: Ref<GridHandle>;
  onCursor(index: number): void;
};

function Records({ type, list, page, items, cursor, handle, onCursor }: RecordsProps) {
  const columns = useColumns(
    type,
    items.some((record) => record.corrected_decision !== null),
  );
  return (
    <>
      {list.isError && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
      {items.length === 0 && <p className="note">No records match this filter.</p>}
      {items.length > 0 && (
        <Grid
          label="Decisions"
          handle={handle}
          columns={columns}
          count={items.length}
          rowAt={(index) => items[index]}
          cursor={cursor}
          onCursor={onCursor}
        />
      )}
      <div className="row between foot">
        <Suspense>
          <Retention type={type} total={list.data?.total} />
        </Suspense>
        {list.data && items.length > 0 && (
          <Pages
            page={page}
            pages={list.data.pages}
            onPage={(next) => changeQuery({ page: String(next), record: '' })}
          />
        )}
      </div>
    </>
  );
}

function NoDecisions({ type }: { type: DecisionType }) {
  return (
    <Pane title="Monitor" level={1}>
      <EmptyState
        title="No decisions yet"
        actions={
          <Button variant="filled" onClick={() => goTo({ page: 'type', id: type.id, place: 'try' })}>
            Try one
          </Button>
        }
      >
        Every decision that a program asks for appears here with its input, confidence and stage. What you try under Try
        appears only if you have it recorded there.
      </EmptyState>
      <div className="foot">
        <Suspense>
          <Retention type={type} />
        </Suspense>
      </div>
    </Pane>
  );
}

/** The columns of the list; the one for corrections stands only where there are some. */
function useColumns(
  { id: typeId, active_version: { options, readings } }: DecisionType,
  hasCorrections: boolean,
): GridColumn<LogRecord>[] {
  const width = toColumnWidth(options);
  return useMemo(
    () => [
      { id: 'when', header: 'When', width: 128, cell: (record) => <Moment iso={record.created_at} /> },
      {
        id: 'decision',
        header: 'Decision',
        width,
        cell: (record) => <OptionName typeId={typeId} option={record.decision} />,
      },
      {
        id: 'confidence',
        header: 'Confidence',
        width: 92,
        numeric: true,
        says: 'How likely the decision is right, by the calibrated classifier.',
        cell: (record) => percent(readOwnProbability(record)),
      },
      {
        id: 'stage',
        header: 'Stage',
        width: 84,
        says: 'What produced the decision: a rule, the classifier, the fallback or a connected model.',
        cell: (record) => record.stage,
      },
      ...(hasCorrections
        ? [
            {
              id: 'corrected',
              header: 'Corrected',
              width,
              cell: (record: LogRecord) =>
                record.corrected_decision !== null && <OptionName typeId={typeId} option={record.corrected_decision} />,
            },
          ]
        : []),
      {
        id: 'input',
        header: 'Input',
        width: 200,
        grows: true,
        cell: (record) => summariseInput(record.input, readings),
      },
      {
        id: 'review',
        header: 'Review',
        width: 190,
        cell: (record) => (
          <>
            {record.escalated && <span className="tag warn">needs review</span>}{' '}
            {record.unfamiliar && <span className="tag bad">unfamiliar</span>}
          </>
        ),
      },
      {
        id: 'latency',
        header: 'ms',
        width: 56,
        numeric: true,
        says: 'The milliseconds from the call to its answer.',
        cell: (record) => decimal(record.latency_ms, 1),
      },
    ],
    [typeId, width, hasCorrections, readings],
  );
}

type ToolsProps = { type: DecisionType; period: string; review: boolean; decision: string };

function Tools({ type, period, review, decision }: ToolsProps) {
  const params = { decision_type_id: type.id };
  const filter = { ...(decision !== '' && { decision }), ...(review && { escalated: true }) };
  const log = useDownload(`${type.name}-log.csv`, (client, signal) =>
    client.download('logs.export', { params, query: { format: 'csv', ...filter } }, signal),
  );
  useCommands('Files', [{ id: 'export-log', title: 'Export log as CSV', run: () => log.run() }]);
  return (
    <>
      <NativeSelect
        aria-label="Period"
        value={period}
        data={periods.map((days) => ({ value: days, label: `Last ${days} days` }))}
        onChange={(event) => changeQuery({ days: event.currentTarget.value })}
      />
      <NativeSelect
        aria-label="Decision"
        w={180}
        value={decision}
        data={[{ value: '', label: 'Any decision' }, ...toChoices(type.active_version.options)]}
        onChange={(event) => changeQuery({ decision: event.currentTarget.value, page: '', record: '' })}
      />
      <Checkbox
        label="Needs review"
        title="Only uncorrected records that need review, unfamiliar inputs first."
        checked={review}
        onChange={(event) => changeQuery({ review: event.currentTarget.checked ? 'yes' : '', page: '', record: '' })}
      />
      <Button loading={log.isPending} onClick={() => log.run()}>
        Export log as CSV
      </Button>
      {log.error && <ErrorNote error={log.error} />}
    </>
  );
}
