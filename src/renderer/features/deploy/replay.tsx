import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { PolicySummary } from '../../../server/contract/policies/training.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { ErrorNote, Part } from '../../parts/notes.tsx';
import { OptionName } from '../../parts/option.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { count, number, percent } from '../../parts/text/figures.ts';
import { shorten, summariseInput } from '../../parts/text/inputs.ts';
import { useWorkbench } from '../../state/workbench.ts';

const maxRows = 500;
const pageSize = 50;
const shownRows = 100;
const maxInputLength = 120;

/** Decides the newest logged inputs again, a page at a time, until it is stopped or the part is closed. */
function useReplay(type: DecisionType, policy: PolicySummary) {
  const { client } = useWorkbench();
  const [end_time] = useState(() => new Date().toISOString());
  const [isStopped, setIsStopped] = useState(false);
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: ['policies.replay', policy.id, end_time],
    queryFn: ({ pageParam: page, signal }) =>
      client.call(
        'policies.replay',
        {
          params: { decision_type_id: type.id, policy_id: policy.id },
          query: { page, page_size: pageSize, end_time },
        },
        signal,
      ),
    initialPageParam: 1,
    getNextPageParam: ({ total }, pages) =>
      pages.length * pageSize < Math.min(total, maxRows) ? pages.length + 1 : undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  useEffect(() => {
    if (hasNextPage && !isFetching && !isStopped && !error) void fetchNextPage();
  }, [hasNextPage, isFetching, isStopped, error, fetchNextPage]);
  const pages = data?.pages ?? [];
  const add = (of: 'rows' | 'refused') => pages.reduce((sum, page) => sum + page[of], 0);
  return {
    items: pages.flatMap(({ items }) => items),
    rows: add('rows'),
    refused: add('refused'),
    share: pages[0] ? (pages.length * pageSize) / Math.max(1, Math.min(pages[0].total, maxRows)) : 0,
    isRunning: !isStopped && error === null && (data === undefined || hasNextPage),
    error,
    stop: () => setIsStopped(true),
  };
}

type Replayed = OutputOf<'policies.replay'>['items'][number]['replayed'];

function Decided({ typeId, decided }: { typeId: string; decided: Replayed }) {
  const { decision, confidence, stage } = decided;
  // Where no classifier was asked, nobody knows how likely the fallback is right.
  const sure = stage === 'rules' || (stage === 'fallback' && confidence === 0) ? [] : [percent(confidence)];
  const by = stage === 'rules' ? ['by a rule'] : stage === 'fallback' ? ['fallback'] : [];
  return (
    <>
      <OptionName typeId={typeId} option={decision} /> <small className="muted">{[...sure, ...by].join(', ')}</small>
    </>
  );
}

type ReplayProps = {
  type: DecisionType;
  policy: PolicySummary;
  deployed: PolicySummary;
  onClose(): void;
};

/** Shows what a policy would decide otherwise than the deployed one, on the inputs that were logged last. */
export function Replay({ type, policy, deployed, onClose }: ReplayProps) {
  const { items, rows, refused, share, isRunning, error, stop } = useReplay(type, policy);
  const [present, other] = [`v${deployed.version}`, `v${policy.version}`];
  const changed = items.length === 0 ? 'none' : number(items.length);
  return (
    <Part
      title={`What ${other} would change`}
      tools={
        <Button size="compact-xs" data-autofocus onClick={isRunning ? stop : onClose}>
          {isRunning ? 'Stop' : 'Close'}
        </Button>
      }
    >
      <div className="stack">
        {error && <ErrorNote error={error} />}
        {isRunning && <progress value={share} aria-label={`Replaying the log with ${other}`} />}
        <p role="status">
          {rows === 0 && isRunning && 'Deciding the newest logged inputs again…'}
          {rows === 0 && !isRunning && error === null && 'No decision has been logged yet.'}
          {rows > 0 && (
            <>
              On the last {count(rows, 'decision')}, {other} would change <strong>{changed}</strong>.
            </>
          )}
          {refused > 0 && ` ${count(refused, 'input')} no longer fit the input schema.`}
        </p>
        {items.length > 0 && (
          <PlainTable heads={['Input', `Now, by ${present}`, `By ${other}`]}>
            {items.slice(0, shownRows).map(({ log_id, input, deployed: before, replayed }) => (
              <tr key={log_id}>
                <td className="wrap">{shorten(summariseInput(input, type.active_version.readings), maxInputLength)}</td>
                <td>
                  <Decided typeId={type.id} decided={before} />
                </td>
                <td>
                  <Decided typeId={type.id} decided={replayed} />
                </td>
              </tr>
            ))}
          </PlainTable>
        )}
        {items.length > shownRows && <p className="muted">The newest {number(shownRows)} of them are listed.</p>}
      </div>
    </Part>
  );
}
