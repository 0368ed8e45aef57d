import type { DriftReport } from '../../../engine/findings/drift.ts';
import type { Analyses, AnalysisState } from '../../analysis/analysis.ts';
import { toFolderPaths } from '../../data-folder/folder.ts';
import type { Foundation } from '../../foundation.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';

/** Decisions come all the time: they are compared again when they are asked for after this. */
const keptMs = 60_000;

/** How the newest decisions of a type differ from its examples, at most a minute old. Rejects with 'unavailable'. */
export function findDriftOfType(
  deps: Foundation & { analyses: Analyses },
  type: DecisionTypeRecord,
): Promise<AnalysisState<DriftReport>> {
  const { store, analyses, clock } = deps;
  const { id: typeId, seq: typeSeq, piiFields } = type;
  const { id: versionId, definition } = type.activeVersion;
  const deployed = store.deployments.find(typeId);
  const effect = deployed && store.policies.byId(deployed.id)?.metrics?.familiarity;
  const familiarity = effect && {
    policyVersion: `v${deployed.version}`,
    expected: Math.max(effect.flagged, effect.target_loss),
  };
  const now = Math.floor(clock.now() / keptMs);
  const key = [store.examples.readRevision(typeId), now, deployed?.version, versionId, ...piiFields].join(' ');
  return analyses.drift.ask(typeId, key, {
    databaseFile: toFolderPaths(deps.options.dataDir).database,
    typeId,
    typeSeq,
    piiFields,
    readings: definition.readings,
    nowMs: (now + 1) * keptMs,
    familiarity: familiarity ?? null,
  });
}
