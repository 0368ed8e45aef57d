/** The search of all examples for findings. */

import type { NamedLists, Rule } from '../domain/definition.ts';
import type { JudgedPart } from '../domain/metrics.ts';
import { byName } from '../domain/records.ts';
import { listLeaves } from '../features/values.ts';
import { compileReapply, type DecidingSettings, decideRow, type RecordedRow } from '../measure/reapply.ts';
import type { LanguageDetector } from '../ports.ts';
import { hashString } from '../random.ts';
import { compileSoundRules } from '../rules/compile.ts';
import { searchEqualInputs } from './equal-inputs.ts';
import { searchFields } from './fields.ts';
import {
  type Finding,
  type FindingKind,
  type FindingRow,
  findingKinds,
  maxListedFindings,
  type Search,
  toFinding,
} from './finding.ts';
import { searchLabels } from './labels.ts';
import { searchNearDuplicates } from './near-duplicates.ts';
import type { SeenInput } from './slice-conditions.ts';
import type { JudgedRow } from './slices.ts';

const minWords = 4;
const maxWords = 200;
/** The share of a text's words that occur in no other example. */
const minUnsharedShare = 0.8;
/** With more of them the examples are simply diverse. */
const maxOutlierShare = 0.01;
const minRows = 100;

function listWords(input: Parameters<typeof listLeaves>[0]): Uint32Array {
  const words = new Set<number>();
  for (const { value } of listLeaves(input)) {
    if (typeof value !== 'string' || !value.includes(' ')) continue;
    for (const word of value.toLowerCase().match(/\p{L}+/gu) ?? []) {
      words.add(hashString(word));
      if (words.size >= maxWords) return Uint32Array.from(words);
    }
  }
  return Uint32Array.from(words);
}

/** Searches for texts most of whose words occur in no other example. */
function searchOutliers(): Search {
  const rows: { id: string; words: Uint32Array }[] = [];
  const counts = new Map<number, number>();
  return {
    add({ id, input }) {
      const words = listWords(input);
      rows.push({ id, words });
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    },
    finish() {
      const outliers = rows.flatMap(({ id, words }) => {
        if (words.length < minWords) return [];
        const share = words.filter((word) => counts.get(word) === 1).length / words.length;
        return share < minUnsharedShare ? [] : [{ id, share }];
      });
      if (rows.length < minRows || outliers.length > maxOutlierShare * rows.length) return [];
      return outliers
        .sort((a, b) => b.share - a.share)
        .map(({ id, share }) =>
          toFinding({
            kind: 'outlier',
            severity: 'info',
            message: `${Math.round(100 * share)}% of the words of this example occur in no other one. Delete it if it does not belong here; else add more examples like it.`,
            ids: [id],
            score: share,
          }),
        );
    },
  };
}

/** Rules with what they may decide, and since when they have been so, in milliseconds since 1970. */
export type SavedRules = {
  rules: Rule[];
  options: string[];
  reasonCodes: string[];
  lists: NamedLists;
  savedAt: number;
};
type Tally = { rule: Rule; agrees: number; disagrees: number; doubted: { id: string; label: string }[] };

/** Searches for labels that the first matching rule contradicts, unless confirmed since the rules were saved. */
function searchRuleDisagreements({ rules, options, reasonCodes, lists, savedAt }: SavedRules): Search {
  const { sound } = compileSoundRules(rules, { options, reason_codes: reasonCodes, lists });
  const tallies = sound.file.rules.map((rule): Tally => ({ rule, agrees: 0, disagrees: 0, doubted: [] }));
  return {
    add({ id, input, decision, reviewedAt }) {
      if (decision === null || !options.includes(decision)) return;
      const tally = tallies[sound.evaluate(input, false).matchedIndex];
      if (!tally) return;
      if (tally.rule.then === decision) {
        tally.agrees += 1;
        return;
      }
      tally.disagrees += 1;
      if (reviewedAt === null || reviewedAt <= savedAt) tally.doubted.push({ id, label: decision });
    },
    finish: () =>
      tallies.flatMap(({ rule, agrees, disagrees, doubted }) => {
        const agreement = agrees / (agrees + disagrees);
        return doubted.map(({ id, label }) =>
          toFinding({
            kind: 'rule_disagreement',
            severity: 'warning',
            message: `The rule "${rule.name}" decides "${rule.then}", the label is "${label}". Relabel it, mark it as reviewed if it is right, or correct the rule.`,
            ids: [id],
            suggested_decision: rule.then,
            probability: agreement,
            score: agreement,
          }),
        );
      }),
  };
}

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

/** Judges rows by the current settings; null where the schema, or (`leavesRuled`) a rule, takes them away. */
export function compileJudge(
  settings: DecidingSettings,
  part: JudgedPart,
  leavesRuled = false,
): (row: RecordedRow & SeenInput) => JudgedRow | null {
  const reapply = compileReapply(settings);
  return (row) => {
    const { row: reapplied } = reapply(row);
    const isWhole = part === 'whole_decision';
    if (reapplied === null || (leavesRuled && !isWhole && reapplied.ruled !== null)) return null;
    const { decision, escalate } = decideRow(isWhole ? reapplied : { ...reapplied, ruled: null }, settings);
    const isWrong = isWhole ? !escalate && decision !== row.expected : row.predicted !== row.expected;
    return { input: row.input, unreadable: row.unreadable, isWrong, isEscalated: escalate };
  };
}
