/** Where a policy is weak, searched by a process of its own. */
import type { SliceReport } from '../../engine/findings/slices.ts';
import type { Analyses, AnalysisState } from '../analysis/analysis.ts';
import type { SlicesOrder } from '../analysis/orders.ts';
import { toFolderPaths } from '../data-folder/folder.ts';
import type { ServerOptions } from '../process/options.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { PolicyRecord } from '../store/policy-records.ts';
import type { Store } from '../store/store.ts';

type Deps = { store: Store; options: Pick<ServerOptions, 'dataDir'>; analyses: Analyses };

/** What a call waits for a search: small sets are answered at once. */
const patienceMs = 2_000;

/** The confidence from which a policy's decision is accepted under the settings of today. */
function findMinConfidence(type: DecisionTypeRecord, { trainingConfig }: PolicyRecord): number {
  const { confidence_thresholds: thresholds, escalation_policy: policy } = type.activeVersion.definition;
  const own = trainingConfig.escalation_threshold;
  if (policy.between === 'accept') return own ?? thresholds.escalation;
  return Math.max(thresholds.auto_decide, own ?? 0);
}

/** The weak parts as they are known, searched for where rows or settings have changed. Rejects with 'unavailable'. */
export function findSlices(
  { store, options, analyses }: Deps,
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  { rows, minRows }: Pick<SlicesOrder, 'rows' | 'minRows'>,
): Promise<AnalysisState<SliceReport>> {
  const order: SlicesOrder = {
    kind: 'slices',
    databaseFile: toFolderPaths(options.dataDir).database,
    typeId: type.id,
    policyId: policy.id,
    policyVersion: `v${policy.version}`,
    rows,
    minConfidence: findMinConfidence(type, policy),
    minRows,
    piiFields: type.piiFields,
  };
  const { minConfidence, piiFields } = order;
  const key = [store.examples.readRevision(type.id), policy.status, minConfidence, ...piiFields].join(' ');
  return analyses.slices.ask(`${policy.id} ${rows} ${minRows}`, key, order, patienceMs);
}
