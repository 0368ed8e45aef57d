/** The problems of a type's examples, searched by a process of its own and known until the examples change. */
import { type FindingKind, findingKinds } from '../../../engine/findings/finding.ts';
import type { DataFindings, FindingCounts } from '../../../engine/findings/search-data.ts';
import type { Analyses, AnalysisState } from '../../analysis/analysis.ts';
import { toFolderPaths } from '../../data-folder/folder.ts';
import type { Foundation } from '../../foundation.ts';
import type { Store } from '../../store/store.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';

function toKey(store: Store, type: DecisionTypeRecord): string {
  const policyId = store.policies.findNewestTrained(type.id) ?? '';
  const searchId = store.trainingRuns.labelChecks.findNewest(type.id)?.id ?? '';
  const revision = store.examples.readRevision(type.id);
  return [revision, type.activeVersion.id, policyId, searchId, ...type.piiFields].join(' ');
}

/** The findings as they are known, searched for where the examples have changed. Rejects with 'unavailable'. */
export function findDataProblems(
  deps: Foundation & { analyses: Analyses },
  type: DecisionTypeRecord,
): Promise<AnalysisState<DataFindings>> {
  const { store, analyses } = deps;
  const { definition, createdAt } = type.activeVersion;
  const order = {
    databaseFile: toFolderPaths(deps.options.dataDir).database,
    typeId: type.id,
    saved: {
      rules: definition.hard_rules,
      options: definition.options,
      reasonCodes: definition.reason_codes,
      lists: definition.lists,
      savedAt: createdAt,
    },
    piiFields: type.piiFields,
    readings: definition.readings,
    policyId: store.policies.findNewestTrained(type.id),
    search: store.trainingRuns.labelChecks.findNewest(type.id),
  };
  return analyses.findings.ask(type.id, toKey(store, type), order);
}

const names: Partial<Record<FindingKind, [one: string, many: string]>> = {
  contradiction: ['contradiction', 'contradictions'],
  unknown_label: ['unknown label', 'unknown labels'],
  suspect_label: ['suspect label', 'suspect labels'],
  leak: ['field that gives the answer away', 'fields that give the answer away'],
};

/** The findings that spoil a training, in one sentence; null without any. */
function describeCounts(counts: FindingCounts): string | null {
  const parts = findingKinds.flatMap((kind) => {
    const [one, many] = names[kind] ?? [];
    return one === undefined || counts[kind] === 0 ? [] : [`${counts[kind]} ${counts[kind] === 1 ? one : many}`];
  });
  return parts.length === 0
    ? null
    : `The examples have ${parts.join(', ')}. Look at the findings about the data first.`;
}

/** Sums up the last search for somebody who is about to train; nothing where the examples changed since. */
export function noteDataProblems(
  { store, analyses }: Foundation & { analyses: Analyses },
  type: DecisionTypeRecord,
): string[] {
  const { known, isFresh } = analyses.findings.peek(type.id, toKey(store, type));
  const sentence = known === null || !isFresh ? null : describeCounts(known.result.counts);
  return sentence === null ? [] : [sentence];
}
