import type { OutputOf } from '../../server/contract/operations.ts';
import { usePolicy } from '../state/queries.ts';
import { Busy } from './notes.tsx';

const pollMs = 2_000;
const findPending = (policy: OutputOf<'policies.get'> | undefined) =>
  policy?.metrics?.follow_up?.state === 'pending' ? policy.metrics.follow_up : null;

/** Says what is still being computed after the training of a policy, as long as it is. */
export function PendingFollowUp({ typeId, policyId }: { typeId: string; policyId: string }) {
  const policy = usePolicy(typeId, policyId, { refetchMs: (data) => (findPending(data) ? pollMs : false) }).data;
  const pending = findPending(policy);
  return pending && <Busy>{pending.sentence}</Busy>;
}
