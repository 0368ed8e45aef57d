import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { DecisionType } from '../../server/contract/decision-types.ts';
import type { LogRecord } from '../../server/contract/logs.ts';
import { useChange, useOperation } from '../api/queries.ts';
import { useCommands } from '../commands/use-commands.ts';
import { CheckField, SelectField } from '../parts/fields.tsx';
import { Busy, EmptyState, ErrorNote, Facts, moment, percent } from '../parts/layout.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useWorkbench } from '../workbench.tsx';
import { summariseInput } from './example-table.tsx';
import { Pager } from './types-page.tsx';

/** Recent decisions; a wrong one is corrected here and becomes an example. */
export function LogsTab({ type }: { type: DecisionType }) {
  const { client } = useWorkbench();
  const params = { decision_type_id: type.id };
  const [page, setPage] = useState(1);
  const [decision, setDecision] = useState('');
  const [review, setReview] = useState(false);
  const filter = decision === '' ? {} : { decision };
  const query = { page, page_size: 25, ...filter, ...(review ? { review } : {}) };
  const list = useOperation('logs.list', { params, query }, { keepPrevious: true });
  const metrics = useOperation('metrics.type', { params });
  const exportLog = useMutation({
    mutationFn: () =>
      client.download('logs.export', {
        params,
        query: { format: 'csv', ...filter, ...(review ? { escalated: true } : {}) },
      }),
    onSuccess: ({ blob, fileName }) => saveFile(blob, fileName ?? `${type.name}-log.csv`),
  });
  useCommands([
    { id: 'export-log', title: 'Export log as CSV', group: 'Files', run: () => exportLog.mutate() },
    { id: 'refresh-log', title: 'Read the log again', group: 'Go', run: () => void list.refetch() },
  ]);
  const empty = list.data?.total === 0 && decision === '' && !review;
  if (list.isPending) return <Busy>Loading the log…</Busy>;
  if (empty) {
    return (
      <EmptyState title="No decisions yet">
        Every decision is recorded here with its input, confidence and stage. Decide something under Try, or from a
        program.
      </EmptyState>
    );
  }
  const figure = (value: number | null | undefined, show: (value: number) => string) =>
    value === null || value === undefined ? '–' : show(value);
  return (
    <div className="stack">
      {list.isError && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
      {exportLog.isError && <ErrorNote error={exportLog.error} />}
      <ClockNote />
      {metrics.data && (
        <Facts
          items={[
            { name: 'Decisions, last 24 h', value: metrics.data.total_decisions.toLocaleString() },
            { name: 'Mean confidence', value: figure(metrics.data.avg_confidence, percent) },
            { name: 'Mean latency', value: figure(metrics.data.avg_latency_ms, (ms) => `${ms.toFixed(1)} ms`) },
            { name: 'Escalated', value: figure(metrics.data.escalation_rate, percent) },
          ]}
        />
      )}
      <div className="row between" style={{ alignItems: 'flex-end' }}>
        <div className="row" style={{ alignItems: 'flex-end' }}>
          <SelectField
            label="Decision"
            value={decision}
            onValue={(value) => {
              setDecision(value);
              setPage(1);
            }}
            choices={[
              { value: '', text: 'Any' },
              ...type.active_version.options.map((option) => ({ value: option, text: option })),
            ]}
          />
          <CheckField
            label="Only those that need a look, unfamiliar inputs first"
            checked={review}
            onChecked={(checked) => {
              setReview(checked);
              setPage(1);
            }}
          />
        </div>
        <button type="button" disabled={exportLog.isPending} onClick={() => exportLog.mutate()}>
          Export log as CSV
        </button>
      </div>
      {list.data && list.data.items.length > 0 && <LogTable type={type} items={list.data.items} />}
      {list.data && list.data.items.length === 0 && <p className="note">No record fits this filter.</p>}
      {list.data && <Pager page={page} pages={list.data.pages} total={list.data.total} onPage={setPage} />}
    </div>
  );
}

function LogTable({ type, items }: { type: DecisionType; items: readonly LogRecord[] }) {
  const { ui } = useWorkbench();
  const correct = useChange('logs.correct');
  return (
    <>
      {correct.isError && <ErrorNote error={correct.error} />}
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Input</th>
              <th scope="col">Decision</th>
              <th scope="col" className="num">
                Confidence
              </th>
              <th scope="col">Stage</th>
              <th scope="col" className="num">
                ms
              </th>
              <th scope="col">Right decision</th>
            </tr>
          </thead>
          <tbody>
            {items.map((record) => (
              <tr key={record.id}>
                <td style={{ whiteSpace: 'nowrap' }}>{moment(record.created_at)}</td>
                <td>
                  <span className="clip" style={{ maxWidth: '22rem' }} title={summariseInput(record.input)}>
                    {summariseInput(record.input)}
                  </span>
                </td>
                <td>
                  {record.decision} {record.escalated && <span className="badge warn">look</span>}{' '}
                  {record.unfamiliar && <span className="badge bad">unfamiliar</span>}
                </td>
                <td className="num">{percent(record.confidence)}</td>
                <td>{record.stage}</td>
                <td className="num">{record.latency_ms.toFixed(1)}</td>
                <td>
                  <select
                    aria-label={`Right decision for the record of ${moment(record.created_at)}`}
                    value={record.corrected_decision ?? ''}
                    onChange={(event) =>
                      correct.mutate(
                        {
                          params: { decision_type_id: type.id, log_id: record.id },
                          body: { decision: event.target.value },
                        },
                        {
                          onSuccess: () => ui.getState().notify('info', 'Corrected. It is a reviewed example now.'),
                        },
                      )
                    }
                  >
                    <option value="" disabled>
                      As decided
                    </option>
                    {type.active_version.options.map((option) => (
                      <option key={option} value={option}>
                        {option}
                      </option>
                    ))}
                  </select>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Says that old records are kept because the clock leapt, and asks whether it is right. */
function ClockNote() {
  const clock = useOperation('clock.get', {});
  const confirm = useChange('clock.confirm');
  if (clock.data?.state !== 'in doubt') return null;
  return (
    <div className="note warn">
      <p>
        The clock of this machine leapt by more than two days and shows {moment(clock.data.now)} now. No record is
        removed for its age until you confirm the time or set it right.
      </p>
      {confirm.isError && <ErrorNote error={confirm.error} />}
      <button type="button" disabled={confirm.isPending} onClick={() => confirm.mutate({})}>
        The time is right
      </button>
    </div>
  );
}
