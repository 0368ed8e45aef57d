import { Button } from '@mantine/core';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { count } from '../../parts/text/figures.ts';
import { notify } from '../../state/notices.tsx';
import { useChange } from '../../state/queries.ts';
import { useCommands } from '../../state/use-commands.ts';
import { VerifyLog } from './verify-log.tsx';

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
        onError: ({ message }) => notify({ kind: 'error', text: message }),
      },
    );
  useCommands('Files', [{ id: 'restore-log', title: 'Restore deleted records', enabled: !isFinal, run }]);
  return (
    <span className="row">
      <span className="muted">
        {kept}
        {isFinal && days !== null ? '; because of the PII fields older ones are deleted at once.' : '.'}
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
