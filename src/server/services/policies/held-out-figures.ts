/** Further figures of the held-out rows: the costs of errors and looks, and the weak parts. */
import { type CostFinding, noCosts } from '../../../engine/costs.ts';
import type { SliceReport } from '../../../engine/findings/slices.ts';
import { measureCosts } from '../../../engine/measure/costs.ts';
import type { Analyses, AnalysisState } from '../../analysis/analysis.ts';
import type { SlicesOrder } from '../../analysis/orders.ts';
import { toFolderPaths } from '../../data-folder/folder.ts';
import type { Foundation } from '../../foundation.ts';
import { readPresentSettings } from '../../runtime/current-settings.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { type HeldOutDecisions, type TriedThresholds, tryThresholds } from './held-out-decisions.ts';
import { isRefitted, readTrainedFrom } from './policies.ts';
import { findObstacle } from './promises.ts';

/** Weighs errors against looks on held-out rows. Throws `validation_error` for thresholds in the wrong order. */
export function weighPolicyCosts(
  deps: Foundation & { heldOutDecisions: HeldOutDecisions },
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  tried: TriedThresholds,
): CostFinding {
  const { escalation_threshold: ownEscalation } = policy.trainingConfig;
  const { settings, missing, measured, refused } = deps.heldOutDecisions.read(type, policy);
  return measureCosts({ rows: measured, refused }, missing, {
    costs: type.costs ?? noCosts,
    options: type.activeVersion.definition.options,
    settings,
    tried: { ...settings, ...tryThresholds(type, settings, ownEscalation, tried) },
    ownEscalation,
    refusal: findObstacle(deps, type, policy),
    isRefitted: isRefitted(policy),
  });
}

/** The weak parts as they are known, searched for where rows or settings have changed. Rejects with 'unavailable'. */
export function findSlices(
  deps: Foundation & { analyses: Analyses },
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  { rows, judged, minRows, ...tried }: Pick<SlicesOrder, 'rows' | 'judged' | 'minRows'> & TriedThresholds,
): Promise<AnalysisState<SliceReport>> {
  const { store, analyses } = deps;
  const { piiFields } = type;
  const trained = readTrainedFrom(deps, policy);
  const { rules, versionNumber, readings, ...present } = readPresentSettings(type, trained);
  const settings = { ...present, ...tryThresholds(type, present, trained.ownEscalation, tried) };
  const order: SlicesOrder = {
    databaseFile: toFolderPaths(deps.options.dataDir).database,
    typeId: type.id,
    policyId: policy.id,
    policyVersion: `v${policy.version}`,
    rows,
    judged,
    leavesRuled: policy.trainingConfig.train_on === 'left_by_rules',
    settings: { ...settings, rules: rules.file },
    minRows,
    piiFields,
    readings,
  };
  const revision = store.examples.readRevision(type.id);
  const key = JSON.stringify([revision, policy.status, versionNumber, settings, piiFields]);
  return analyses.slices.ask(`${policy.id} ${rows} ${judged} ${minRows}`, key, order);
}
