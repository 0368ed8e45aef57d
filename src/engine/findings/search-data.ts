/** The search of all examples for findings. */
import { byName } from '../domain/records.ts';
import type { LanguageDetector } from '../ports.ts';
import { searchEqualInputs } from './equal-inputs.ts';
import { searchFields } from './fields.ts';
import { type Finding, type FindingKind, type FindingRow, findingKinds, maxListedFindings } from './finding.ts';
import { searchLabels } from './labels.ts';
import { searchNearDuplicates } from './near-duplicates.ts';
import { searchOutliers } from './outlier-texts.ts';
import { type SavedRules, searchRuleDisagreements } from './rule-disagreements.ts';

export type FindingCounts = Record<FindingKind, number>;
/** The findings that are listed, worst kind and most certain first, and the number of all. */
export type DataFindings = { items: Finding[]; counts: FindingCounts };

type DataSearch = {
  add(row: FindingRow): void;
  /** Ends the search; `suspects` are found elsewhere and listed in their order. */
  finish(suspects: readonly Finding[]): DataFindings;
};

/** Starts a search that takes the examples one by one, in any number; its cost per row is bounded. */
export function startDataSearch(
  saved: SavedRules,
  piiFields: readonly string[],
  detectLanguage: LanguageDetector | null = null,
): DataSearch {
  const { options } = saved;
  const equal = searchEqualInputs();
  const near = searchNearDuplicates();
  const others = [
    searchLabels(options),
    searchRuleDisagreements(saved),
    searchFields(options, piiFields, detectLanguage),
    searchOutliers(),
  ];
  return {
    add(row) {
      equal.add(row);
      if (!equal.isRepeated()) near.add(row);
      for (const search of others) search.add(row);
    },
    finish(suspects) {
      const found = [equal, near, ...others].flatMap((search) => search.finish());
      return rank([...suspects, ...found.sort((a, b) => (b.score ?? 0) - (a.score ?? 0))]);
    },
  };
}

const severities = ['error', 'warning', 'info'] as const;

function rank(findings: readonly Finding[]): DataFindings {
  const ofKind = byName(findingKinds, (kind) => findings.filter((finding) => finding.kind === kind));
  const bySeverity = (found: readonly Finding[]) =>
    severities.flatMap((severity) => found.filter((finding) => finding.severity === severity));
  const counts = byName(findingKinds, (kind) => ofKind[kind].length);
  return { counts, items: findingKinds.flatMap((kind) => bySeverity(ofKind[kind]).slice(0, maxListedFindings)) };
}
