import { Button } from '@mantine/core';
import type { OutputOf } from '../../../server/contract/operations.ts';
import type { PolicySummary } from '../../../server/contract/policies/training.ts';
import { Busy, ErrorNote } from '../../parts/notes.tsx';
import { useChange, usePolicy } from '../../state/queries.ts';
import { useCommands } from '../../state/use-commands.ts';

const pollMs = 2_000;

/** Shows that the text model is being tuned in the background, or offers the policy that this has made. */
export function BetterPolicy({ policy }: { policy: PolicySummary }) {
  const params = { decision_type_id: policy.decision_type_id, policy_id: policy.id };
  const refetchMs = (data?: OutputOf<'policies.get'>) => (typeof data?.tuning === 'string' ? pollMs : false);
  const detail = usePolicy(policy.decision_type_id, policy.id, { refetchMs }).data;
  const stop = useChange('policies.cancel');
  const take = useChange('policies.deploy');
  const better = detail?.metrics?.better_than ?? null;
  const takeIt = () => take.mutate({ params, body: {} });
  const isOffered = better !== null && !policy.deployed;
  useCommands('Training', [
    { id: 'take-better-policy', title: 'Deploy the better policy', enabled: isOffered, run: takeIt },
  ]);
  if (typeof detail?.tuning === 'string') {
    return (
      <div className="row">
        <Busy>The text model is being tuned in the background. The policy decides already.</Busy>
        <Button size="compact-xs" disabled={stop.isPending} onClick={() => stop.mutate({ params })}>
          Stop
        </Button>
      </div>
    );
  }
  if (better === null) return null;
  return (
    <>
      <p className="note">{better.sentence}</p>
      {take.error && <ErrorNote error={take.error} />}
      {isOffered && (
        <Button variant="filled" loading={take.isPending} onClick={takeIt}>
          Deploy it
        </Button>
      )}
    </>
  );
}
