import { Button } from '@mantine/core';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { count } from '../../parts/text/figures.ts';
import { useChange, useOperation } from '../../state/queries.ts';

const lookAgainMs = 1_000;

/** Says what may still hold values of personal fields that were declared late, and masks them in the log. */
export function Residue({ type }: { type: DecisionType }) {
  const params = { decision_type_id: type.id };
  const fresh = useOperation(
    'decision_types.get',
    { params, query: {} },
    {
      refetchMs: (data) => (data?.pii_residue?.clearing ? lookAgainMs : false),
    },
  );
  const clear = useChange('pii_residue.clear');
  const { pii_residue: residue } = fresh.data ?? type;
  if (residue === null) return null;
  const { policies, log_records: records, clearing } = residue;
  return (
    <div className="note warn stack tight">
      {records > 0 && (
        <p>
          {count(records, 'log record')} from before one of these fields was declared may still hold its values. Masked,
          they cannot be read again.
        </p>
      )}
      {policies.length > 0 && (
        <p>
          {count(policies.length, 'policy', 'policies')} learned before it and may hold values in the file. A new
          training makes one without them.
        </p>
      )}
      {clear.isError && <ErrorNote error={clear.error} />}
      {records > 0 && (
        <div className="row">
          <Button loading={clearing || clear.isPending} onClick={() => clear.mutate({ params })}>
            Mask them in the log
          </Button>
        </div>
      )}
    </div>
  );
}
