import { Button } from '@mantine/core';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { count } from '../../parts/text/figures.ts';
import { useOperation } from '../../state/queries.ts';
import { goTo } from '../../state/route.ts';

/** The error of live decisions by the audit, and the way to decisions that wait to be judged. */
export function AuditNote({ type }: { type: DecisionType }) {
  const audit = useOperation('audit.get', { params: { decision_type_id: type.id } });
  if (audit.isError) return <ErrorNote error={audit.error} />;
  if (!audit.data) return null;
  const { deployed, to_judge: waiting } = audit.data;
  if (type.audit === null && waiting === 0 && deployed === null) {
    return <p className="muted">Live errors are not known yet: draw some decisions to judge, under Define.</p>;
  }
  return (
    <div className="row between" role="status" aria-label="Audit">
      <p>
        {deployed?.sentence ?? 'No decision of the deployed policy has been drawn for you to judge yet.'}
        {type.audit?.per_week !== undefined && ' Those of this week are drawn on Monday.'}
      </p>
      {waiting > 0 && (
        <Button onClick={() => goTo({ page: 'type', id: type.id, place: 'examples', query: { queue: 'audit' } })}>
          Judge {count(waiting, 'decision')}
        </Button>
      )}
    </div>
  );
}
