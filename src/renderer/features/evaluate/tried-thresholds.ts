/** Thresholds that are tried: all figures of the place are of them, and their address can be handed on. */
import type { ConfidenceThresholds } from '../../../engine/domain/definition.ts';
import type { InputOf } from '../../../server/contract/operations.ts';
import type { DecisionType } from '../../../server/contract/types/decision-types.ts';
import { useSettled } from '../../parts/hooks/use-rested.ts';
import { useOperation } from '../../state/queries.ts';
import { changeQuery, useQueryPart } from '../../state/route.ts';

/** A handle that is dragged asks whenever it rests for this long. */
const restMs = 20;
/** Figures that take longer than a count of rows are asked for after this pause. */
export const longRestMs = 400;

/** The thresholds of the address, or else of the draft; null where those in use are meant. */
export function useTriedThresholds({ active_version, draft }: DecisionType): ConfidenceThresholds | null {
  const stored = active_version.confidence_thresholds;
  const kept = draft?.settings.confidence_thresholds;
  const { direct, below } = useQueryPart();
  if (direct === undefined || below === undefined) return kept ?? null;
  const [high, low] = [Number(direct), Number(below)];
  const isOrdered = low >= 0 && low <= high && high <= 1;
  const isStored = high === stored.auto_decide && low === stored.escalation;
  return isOrdered && !isStored ? { ...(kept ?? stored), auto_decide: high, escalation: low } : null;
}

/** Tries thresholds, or with null none: then those of the draft show, or else those in use. */
export function tryThresholds(thresholds: ConfidenceThresholds | null): void {
  const patch = { direct: `${thresholds?.auto_decide ?? ''}`, below: `${thresholds?.escalation ?? ''}` };
  changeQuery(patch, { replace: true });
}

/** The thresholds to ask the server about, those of single options from the draft: none for those in use. */
export function useAskedThresholds(type: DecisionType, delayMs = restMs): InputOf<'policies.costs'>['query'] {
  const tried = useTriedThresholds(type);
  const draft = type.draft?.settings.confidence_thresholds === undefined ? {} : { draft: true };
  const asked = tried === null ? {} : { auto_decide: tried.auto_decide, escalation: tried.escalation, ...draft };
  return JSON.parse(useSettled(JSON.stringify(asked), delayMs));
}

/** The whole decision of a policy under the thresholds that are tried; the last answer stays while it is asked for. */
export function useWhole(type: DecisionType, policy: InputOf<'policies.whole'>['params'], isHeldOut: boolean) {
  const query = useAskedThresholds(type);
  return useOperation('policies.whole', { params: policy, query }, { enabled: isHeldOut, keepPrevious: true });
}

/** Asks for the cost of a policy's decisions under the thresholds that are tried, where the type has costs. */
export function useCosts(type: DecisionType, policy: InputOf<'policies.costs'>['params']) {
  const query = useAskedThresholds(type, longRestMs);
  return useOperation(
    'policies.costs',
    { params: policy, query },
    { enabled: type.costs !== null, keepPrevious: true },
  );
}
