/** What rules do on examples: who matches, who agrees with the labels, and what a change of rules would change. */
import type { JsonObject } from '../domain.ts';
import type { CompiledRules } from './compile.ts';

export type ImpactRow = { id: string; input: JsonObject; decision: string | null };
export type RuleImpact = {
  name: string;
  /** Rows that this rule decides (first match). */
  matched: number;
  agrees: number;
  disagrees: number;
  unlabelled: number;
  errors: number;
  /** Rows that it decides otherwise than their label; at most 100. */
  disagreeing: { id: string; expected: string; decided: string }[];
};
export type Impact = { rows: number; undecided: number; rules: RuleImpact[] };

const mostListed = 100;

/** Counts for every rule, in evaluation order, over all rows. */
export function ruleImpact(rules: CompiledRules, rows: Iterable<ImpactRow>): Impact {
  const impact: Impact = {
    rows: 0,
    undecided: 0,
    rules: rules.file.rules.map(({ name }) => ({
      name,
      matched: 0,
      agrees: 0,
      disagrees: 0,
      unlabelled: 0,
      errors: 0,
      disagreeing: [],
    })),
  };
  for (const row of rows) {
    impact.rows++;
    const outcome = rules.evaluate(row.input, false);
    if (outcome.errors > 0) {
      rules.evaluate(row.input, true).trace.forEach((entry, i) => {
        const rule = impact.rules[i];
        if (rule && entry.outcome === 'error') rule.errors++;
      });
    }
    const rule = impact.rules[outcome.matchedIndex];
    if (!rule || !outcome.matched) {
      impact.undecided++;
      continue;
    }
    rule.matched++;
    if (row.decision === null) rule.unlabelled++;
    else if (row.decision === outcome.matched.then) rule.agrees++;
    else {
      rule.disagrees++;
      if (rule.disagreeing.length < mostListed)
        rule.disagreeing.push({ id: row.id, expected: row.decision, decided: outcome.matched.then });
    }
  }
  return impact;
}

export type RulesChange = {
  rows: number;
  changed: number;
  /** Rows whose rule or decision differs; at most 100. null: no rule decides. */
  differing: {
    id: string;
    before: { rule: string; then: string } | null;
    after: { rule: string; then: string } | null;
  }[];
};

/** What other rules would decide otherwise on the same rows. */
export function compareRules(before: CompiledRules, after: CompiledRules, rows: Iterable<ImpactRow>): RulesChange {
  const change: RulesChange = { rows: 0, changed: 0, differing: [] };
  const decided = (rules: CompiledRules, input: JsonObject) => {
    const { matched } = rules.evaluate(input, false);
    return matched ? { rule: matched.name, then: matched.then } : null;
  };
  for (const row of rows) {
    change.rows++;
    const old = decided(before, row.input);
    const now = decided(after, row.input);
    if (old?.rule === now?.rule && old?.then === now?.then) continue;
    change.changed++;
    if (change.differing.length < mostListed) change.differing.push({ id: row.id, before: old, after: now });
  }
  return change;
}
