/** One press decides the log again, each record by the release that decided it, and says in a sentence what holds. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { InputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { type VerifiedLog, verifyLog } from '../../../server/contract/verify-log.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { count, number } from '../../parts/text/figures.ts';
import { notify, notifyFailure } from '../../state/notices.tsx';
import { useChange } from '../../state/queries.ts';
import { useCommands } from '../../state/use-commands.ts';
import { useWorkbench } from '../../state/workbench.ts';

const maxNamed = 3;
type Progress = { seen: number; total: number };

/** Verifies the log of a type; it goes on until it is done or stopped, and writes nothing. */
export function VerifyLog({ typeId }: { typeId: string }) {
  const { client } = useWorkbench();
  const stopper = useRef(new AbortController());
  const [progress, setProgress] = useState<Progress>({ seen: 0, total: 0 });
  const verify = useMutation({
    mutationFn: async () => {
      stopper.current = new AbortController();
      const named: string[] = [];
      setProgress({ seen: 0, total: 0 });
      const { signal } = stopper.current;
      const params = { decision_type_id: typeId };
      const readPage = (query: InputOf<'logs.verify'>['query']) =>
        client.call('logs.verify', { params, query }, signal);
      const sums = await verifyLog(readPage, { share: 1, signal }, (items, at) => {
        const first = items.slice(0, maxNamed - named.length);
        named.push(...first.map(({ request_id, message }) => `Request ${request_id}: ${message}`));
        setProgress(at);
      });
      return { sums, named };
    },
  });
  const { isPending, data, error, mutate } = verify;
  const isStopped = stopper.current.signal.aborted;
  useCommands('Files', [{ id: 'verify-log', title: 'Verify the log', enabled: !isPending, run: () => mutate() }]);
  return (
    <>
      {isPending ? (
        <span className="row">
          <progress value={progress.total === 0 ? 0 : progress.seen / progress.total} aria-label="Verifying the log" />
          <Button size="compact-xs" onClick={() => stopper.current.abort()}>
            Stop
          </Button>
        </span>
      ) : (
        <Button
          size="compact-xs"
          variant="subtle"
          title="Makes every logged decision again with the release that made it, and compares all fields."
          onClick={() => mutate()}
        >
          Verify the log
        </Button>
      )}
      {!isPending && error && isStopped && (
        <span role="status">
          Stopped after {count(progress.seen, 'record')} of {number(progress.total)}.
        </span>
      )}
      {!isPending && error && !isStopped && <ErrorNote error={error} />}
      {!isPending && data && (
        <span className={data.sums.differing > 0 ? 'note error' : ''} role="status">
          {describeSums(data.sums)} {data.named.join(' ')}
        </span>
      )}
    </>
  );
}

function describeSums({ looked, equal, differing, undecidable }: VerifiedLog): string {
  if (equal === looked)
    return `Made again by ${looked === 1 ? 'its release' : 'their releases'}, ${count(looked, 'decision is', 'decisions are')} as recorded.`;
  const rest = [
    ...(differing > 0 ? [`${number(differing)} ${differing === 1 ? 'is' : 'are'} not as recorded`] : []),
    ...(undecidable > 0 ? [`${number(undecidable)} cannot be made again`] : []),
  ];
  return `${number(equal)} of ${count(looked, 'decision')} are as recorded; ${rest.join(', ')}.`;
}

/** How many records match, how long they are kept, and the way back for those removed for their age. */
export function Retention({ type, total }: { type: DecisionType; total?: number | undefined }) {
  const restore = useChange('logs.restore');
  const { retention_days: days, pii_fields } = type;
  const start = total === undefined ? 'Records are' : `${count(total, 'record')},`;
  const kept = `${start} kept for ${days === null ? 'ever' : count(days, 'day')}`;
  const isFinal = pii_fields.length > 0;
  const run = () =>
    restore.mutate(
      { params: { decision_type_id: type.id } },
      {
        onSuccess: ({ restored }) => notify({ kind: 'info', text: describeRestored(restored, days) }),
        onError: notifyFailure,
      },
    );
  useCommands('Files', [{ id: 'restore-log', title: 'Restore deleted records', enabled: !isFinal, run }]);
  return (
    <span className="row">
      <span className="muted">
        {kept}
        {isFinal && days !== null ? '; older ones are deleted at once, as the type has personal fields.' : '.'}
      </span>
      {!isFinal && (
        <Button
          size="compact-xs"
          variant="subtle"
          loading={restore.isPending}
          title="Records that were removed for their age can be brought back for two days."
          onClick={run}
        >
          Restore deleted records
        </Button>
      )}
      {total !== undefined && <VerifyLog typeId={type.id} />}
    </span>
  );
}

function describeRestored(restored: number, days: number | null): string {
  if (restored === 0) return 'Nothing is left to bring back. Removed records are kept for two days.';
  const back = `${count(restored, 'record is', 'records are')} back.`;
  if (days === null) return back;
  return `${back} Raise “Keep log records for (days)” under Define, or those older than ${count(days, 'day')} are removed again.`;
}
