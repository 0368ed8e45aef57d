/** The points of a policy's verdict that speak against it, as notes. */
import type { OutputOf } from '../../../server/contract/operations.ts';
import { usePolicy } from '../../state/queries.ts';
import { quoteNames } from '../text/names.ts';

type Kind = OutputOf<'policies.get'>['verdict'][number]['kind'];
type Props = { policy: { id: string; decision_type_id: string }; kinds: readonly Kind[]; lead?: string };

/** Says why a policy might not be fit to decide, in the kinds that the place does not show otherwise. */
export function VerdictNotes({ policy: { id, decision_type_id }, kinds, lead = '' }: Props) {
  const { data } = usePolicy(decision_type_id, id);
  const shown = data?.verdict.filter(({ kind, state }) => state !== 'passed' && kinds.includes(kind)) ?? [];
  return shown.map(({ kind, state, sentence }) => (
    <p key={`${kind} ${sentence}`} className="note warn">
      {state === 'blocking' && lead}
      {quoteNames(sentence)}
    </p>
  ));
}
