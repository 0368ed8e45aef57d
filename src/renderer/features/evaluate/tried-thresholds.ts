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

/** Whether two sets of thresholds decide alike. */
export const isSame = (a: ConfidenceThresholds, b: ConfidenceThresholds) =>
  a.auto_decide === b.auto_decide &&
  a.escalation === b.escalation &&
  JSON.stringify(a.by_option) === JSON.stringify(b.by_option);

/** In an address: no thresholds of single options, as it holds nothing that is empty. */
const noOwn = '-';

function readOwn(text: string, options: readonly string[]): Pick<ConfidenceThresholds, 'by_option'> {
  const own = [...new URLSearchParams(text)].flatMap(([option, at]) =>
    options.includes(option) && Number(at) >= 0 && Number(at) <= 1 ? [[option, Number(at)]] : [],
  );
  return own.length === 0 ? {} : { by_option: Object.fromEntries(own) };
}

/** The thresholds of the address, or else of the draft; null where those in use are meant. */
export function useTriedThresholds({ active_version, draft }: DecisionType): ConfidenceThresholds | null {
  const stored = active_version.confidence_thresholds;
  const kept = draft?.settings.confidence_thresholds;
  const { direct, below, own } = useQueryPart();
  if (direct === undefined || below === undefined) return kept ?? null;
  const [high, low] = [Number(direct), Number(below)];
  const isOrdered = low >= 0 && low <= high && high <= 1;
  const { by_option } = own === undefined ? (kept ?? stored) : readOwn(own, active_version.options);
  const tried = { auto_decide: high, escalation: low, ...(by_option && { by_option }) };
  return isOrdered && !isSame(tried, stored) ? tried : null;
}

/** Tries thresholds, or with null none: then those of the draft show, or else those in use. */
export function tryThresholds(thresholds: ConfidenceThresholds | null): void {
  const own = Object.entries(thresholds?.by_option ?? {}).map(([option, at]) => [option, `${at}`]);
  const patch = {
    direct: `${thresholds?.auto_decide ?? ''}`,
    below: `${thresholds?.escalation ?? ''}`,
    own: thresholds === null ? '' : new URLSearchParams(own).toString() || noOwn,
  };
  changeQuery(patch, { replace: true });
}

/** The thresholds to ask the server about: none for those in use. */
export function useAskedThresholds(type: DecisionType, delayMs = restMs): InputOf<'policies.costs'>['query'] {
  const tried = useTriedThresholds(type);
  const asked = tried && { ...tried, by_option: JSON.stringify(tried.by_option ?? {}) };
  return JSON.parse(useSettled(JSON.stringify(asked ?? {}), delayMs));
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
