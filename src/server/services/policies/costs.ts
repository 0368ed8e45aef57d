import { type CostFinding, noCosts } from '../../../engine/costs.ts';
import { measureCosts } from '../../../engine/measure/costs.ts';
import type { Foundation } from '../../foundation.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { type HeldOutDecisions, type TriedThresholds, tryThresholds } from './held-out-decisions.ts';
import { findObstacle, isRefitted } from './promises.ts';

/** Weighs errors against looks on held-out rows. Throws `validation_error` for thresholds in the wrong order. */
export function weighPolicyCosts(
  deps: Foundation & { heldOutDecisions: HeldOutDecisions },
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  tried: TriedThresholds,
): CostFinding {
  const { escalation_threshold: ownEscalation } = policy.trainingConfig;
  const { settings, missing, ...reapplied } = deps.heldOutDecisions.read(type, policy);
  return measureCosts(reapplied, missing, {
    costs: type.costs ?? noCosts,
    options: type.activeVersion.definition.options,
    settings,
    tried: { ...settings, ...tryThresholds(settings, ownEscalation, tried) },
    ownEscalation,
    refusal: findObstacle(deps, type, policy),
    isRefitted: isRefitted(policy),
  });
}
