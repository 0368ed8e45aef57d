/** The effect of rules on examples: which match, which agree with the labels, and the effect of a change. */
import type { JsonObject } from '../../json.ts';
import type { RulesChange } from '../results.ts';
import type { CompiledRules } from '../rules-file.ts';

/** An example or a logged decision; `decision` is null where it is not labelled. */
export type ImpactRow = { id: string; input: JsonObject; decision: string | null };
export type RuleImpact = {
  name: string;
  /** Rows on which its condition is true, whatever the rules before it do. */
  holds: number;
  /** Rows on which it fails, whatever the rules before it do. */
  errors: number;
  /** Rows that this rule decides (first match). */
  matched: number;
  agrees: number;
  disagrees: number;
  unlabelled: number;
  /** The first of the rows that it decides differently from their label. */
  disagreeing: { id: string; input: JsonObject; expected: string; decided: string }[];
};
/** The effect of all rules on the rows so far; `undecided` counts the rows that no rule decides. */
export type Impact = {
  rows: number;
  undecided: number;
  /** The first of the rows that no rule decides. */
  undecidedRows: { id: string; input: JsonObject; expected: string | null }[];
  /** In evaluation order. */
  rules: RuleImpact[];
  /** `together[later][earlier]`: rows on which both conditions are true. */
  together: number[][];
};

/** Rows listed for each rule, and for each change. */
const maxListed = 20;

const noRows = { holds: 0, errors: 0, matched: 0, agrees: 0, disagrees: 0, unlabelled: 0 };

/** Counts for every rule: `add` takes a row, `impact` is the sum so far; the first match counts, but every hint. */
export function startImpact(
  rules: CompiledRules,
  counted: 'first' | 'each' = 'first',
): { add(row: ImpactRow): void; impact: Impact } {
  const impact: Impact = {
    rows: 0,
    undecided: 0,
    undecidedRows: [],
    rules: rules.file.rules.map(({ name }) => ({ name, ...noRows, disagreeing: [] })),
    together: rules.file.rules.map((_, later) => Array<number>(later).fill(0)),
  };
  const add = ({ id, input, decision }: ImpactRow) => {
    impact.rows++;
    const matching: number[] = [];
    rules.evaluateEach(input).forEach((outcome, place) => {
      const rule = impact.rules[place];
      if (!rule || outcome === false) return;
      if (outcome === 'error') rule.errors++;
      else {
        rule.holds++;
        const together = impact.together[place] ?? [];
        for (const earlier of matching) together[earlier] = (together[earlier] ?? 0) + 1;
        matching.push(place);
      }
    });
    if (matching.length === 0) {
      impact.undecided++;
      if (impact.undecidedRows.length < maxListed) impact.undecidedRows.push({ id, input, expected: decision });
    }
    for (const place of counted === 'each' ? matching : matching.slice(0, 1)) {
      const rule = impact.rules[place];
      const decided = rules.file.rules[place]?.then;
      if (!rule || decided === undefined) continue;
      rule.matched++;
      if (decision === null) rule.unlabelled++;
      else if (decision === decided) rule.agrees++;
      else {
        rule.disagrees++;
        if (rule.disagreeing.length < maxListed) rule.disagreeing.push({ id, input, expected: decision, decided });
      }
    }
  };
  return { add, impact };
}

type RuleDecision = RulesChange['differing'][number]['before'];

/** Starts to compare what two sets of rules decide on the rows that `add` takes. */
export function startComparison(
  before: CompiledRules,
  after: CompiledRules,
): { add(row: ImpactRow): void; change: RulesChange } {
  const change: RulesChange = { rows: 0, changed: 0, differing: [] };
  const decide = (rules: CompiledRules, input: JsonObject): RuleDecision => {
    const { matched } = rules.evaluate(input, false);
    return matched ? { rule: matched.name, then: matched.then } : null;
  };
  return {
    add({ id, input }) {
      change.rows++;
      const old = decide(before, input);
      const changed = decide(after, input);
      if (old?.rule === changed?.rule && old?.then === changed?.then) return;
      change.changed++;
      if (change.differing.length < maxListed) change.differing.push({ id, before: old, after: changed });
    },
    change,
  };
}
