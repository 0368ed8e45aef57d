/** Labels that the rules of the type would decide otherwise. */
import type { NamedLists, Rule } from '../domain/definition.ts';
import { compileSoundRules } from '../rules/compile.ts';
import { type Search, toFinding } from './finding.ts';

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
export function searchRuleDisagreements({ rules, options, reasonCodes, lists, savedAt }: SavedRules): Search {
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
