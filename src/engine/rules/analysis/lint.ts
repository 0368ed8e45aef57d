/** Checks rules against one another, the input schema and the examples: what is correct but surely not meant. */
import type { JsonObject } from '../../domain.ts';
import type { RulesFile } from '../compile.ts';
import { inferType } from '../types.ts';
import { type Conjunct, implies, intersectConjuncts, isImpossible, toDisjunctiveForm } from './conjuncts.ts';
import { createFieldTypes, type KnownField, listSchemaFields } from './fields.ts';
import { findConstantErrors, foldConstants } from './fold.ts';
import type { Impact } from './impact.ts';
import { readSchemaSets, type SchemaSets } from './schema-sets.ts';

/**
 * `rule` and `other` are places in evaluation order; `at` is a range of the condition in code points. Basis `exact`:
 * it follows from the conditions and the schema, for every input; `examples`: it is so on the examples that were
 * tried. `shownBy` are the examples that show it, out of all that were tried (null: none were).
 */
export type RuleFinding = {
  kind: 'never_true' | 'always_true' | 'never_reached' | 'overlap' | 'field' | 'always_fails' | 'no_example';
  severity: 'warning' | 'info';
  basis: 'exact' | 'examples';
  shownBy: { rows: number; of: number } | null;
  rule: number;
  other: number | null;
  message: string;
  suggestion: string | null;
  at: readonly [number, number] | null;
};
/** What the examples tell: their fields, and how the same rules fare on them. */
export type RuleEvidence = { fields: readonly KnownField[]; impact: Impact };

type Rules = RulesFile['rules'];
/** Pairs of alternatives that are compared before the exact check leaves the rest to the examples. */
const maxComparisons = 50_000;
const reorder = 'Give it a lower priority number, or remove it.';

/**
 * Everything noteworthy about rules in evaluation order. Sound, not complete: an exact finding holds for every input
 * that follows the schema and on which no rule runs into a limit. Parts of conditions that are not comparisons of a
 * field with a literal are only compared as text; what they leave open is looked for on the examples.
 */
export function lintRules(
  rules: Rules,
  inputSchema: JsonObject | null,
  evidence: RuleEvidence | null = null,
): RuleFinding[] {
  const schema = readSchemaSets(inputSchema);
  const impact = evidence && evidence.impact.rows > 0 ? evidence.impact : null;
  const budget = { left: maxComparisons };
  const folded = rules.map((rule) => foldConstants(rule.ast));
  const cases = folded.map((ast) => toDisjunctiveForm(ast)?.filter((conjunct) => !isImpossible(conjunct)) ?? null);
  const narrowed = cases.map((own) => own?.flatMap((conjunct) => schema.narrow(conjunct) ?? []) ?? null);
  const alive: boolean[] = [];

  return rules.flatMap((rule, index) => {
    const findings: RuleFinding[] = [];
    const find = (finding: Pick<RuleFinding, 'kind' | 'message' | 'suggestion'> & Partial<RuleFinding>) =>
      findings.push({
        severity: 'warning',
        basis: 'exact',
        shownBy: null,
        rule: index,
        other: null,
        at: null,
        ...finding,
      });
    const shown = (rows: number) => (impact ? { rows, of: impact.rows } : null);
    for (const problem of fieldProblems(rule, inputSchema, evidence?.fields ?? []))
      find({ ...problem, kind: 'field', shownBy: problem.basis === 'examples' ? shown(impact?.rows ?? 0) : null });
    for (const { at, kind } of findConstantErrors(rule.ast))
      find({
        kind: 'always_fails',
        message: `This part errs whatever the input is: ${kind}.`,
        suggestion: 'Correct its values: a rule that errs does not match.',
        at,
      });
    const ast = folded[index];
    const own = narrowed[index] ?? null;
    alive[index] = false;
    if (ast?.k === 'lit' && ast.v === true)
      find({
        kind: 'always_true',
        message: 'The condition is always true.',
        suggestion: 'Rules behind this one are never reached.',
      });
    if (own?.length === 0) {
      const itself = cases[index]?.length === 0;
      find({
        kind: 'never_true',
        message: itself
          ? 'The condition contradicts itself: it is never true.'
          : 'The input schema lets this condition never be true.',
        suggestion: itself ? 'Check the bounds and the values.' : 'Compare with the values that the schema allows.',
      });
      return findings;
    }
    const effect = impact?.rules[index];
    const before = rules.flatMap((_, earlier) => (earlier < index && alive[earlier] ? [earlier] : []));
    const cover = own && coverOf(own, before, cases, budget);
    if (cover) {
      find({
        kind: 'never_reached',
        message:
          cover.length === 1
            ? `This rule is never reached: "${rules[cover[0] ?? 0]?.name}" holds whenever it does.`
            : 'This rule is never reached: whenever it holds, one of the rules before it does.',
        suggestion: reorder,
        other: cover.length === 1 ? (cover[0] ?? null) : null,
        shownBy: shown(effect?.holds ?? 0),
      });
      return findings;
    }
    alive[index] = true;
    if (impact && effect) for (const finding of onExamples(rules, index, impact)) find(finding);
    for (const earlier of before) {
      const { name, then, priority } = rules[earlier] ?? rule;
      if (then === rule.then) continue;
      const rows = impact?.together[index]?.[earlier] ?? 0;
      const exact = overlap(cases[earlier] ?? null, cases[index] ?? null, schema, budget);
      if (!exact && rows === 0) continue;
      find({
        kind: 'overlap',
        severity: priority === rule.priority ? 'warning' : 'info',
        basis: exact ? 'exact' : 'examples',
        message: exact
          ? `Some inputs match "${name}" too, which decides ${then} first.`
          : `Some examples match "${name}" too, which decides ${then} first.`,
        suggestion:
          priority === rule.priority
            ? 'Make the order certain with different priorities.'
            : 'Check that this order is meant.',
        other: earlier,
        shownBy: shown(rows),
      });
    }
    return findings;
  });
}

/** What no reasoning found, but what is so on every example. */
function onExamples(
  rules: Rules,
  index: number,
  impact: Impact,
): (Pick<RuleFinding, 'kind' | 'message' | 'suggestion'> & Partial<RuleFinding>)[] {
  const effect = impact.rules[index];
  if (!effect || effect.matched > 0) return [];
  if (effect.holds === 0) {
    const errs = effect.errors > 0 ? `, and on ${effect.errors} of them it errs` : '';
    return [
      {
        kind: 'no_example',
        severity: 'info',
        basis: 'examples',
        message: `No example matches this rule${errs}.`,
        suggestion: 'Compare its fields and values with those of the examples.',
        shownBy: { rows: impact.rows, of: impact.rows },
      },
    ];
  }
  const other = impact.together[index]?.indexOf(effect.holds) ?? -1;
  return [
    {
      kind: 'never_reached',
      basis: 'examples',
      message:
        other >= 0
          ? `On the examples this rule never decides: "${rules[other]?.name}" holds on each that it holds on.`
          : 'On the examples this rule never decides: on each that it holds on, a rule before it holds too.',
      suggestion: reorder,
      other: other >= 0 ? other : null,
      shownBy: { rows: effect.holds, of: impact.rows },
    },
  ];
}

/** Fields and types that cannot be meant; by the schema alone where it is enough, else by the fields of the examples. */
function fieldProblems(rule: Rules[number], inputSchema: JsonObject | null, seen: readonly KnownField[]) {
  const named = listSchemaFields(inputSchema);
  const known = [...seen, ...named];
  if (known.length === 0) return [];
  const bySchema = named.length > 0 ? inferType(rule.ast, createFieldTypes(named)).problems : [];
  return inferType(rule.ast, createFieldTypes(known)).problems.map((problem) => {
    const exact = bySchema.some(({ at, message }) => at[0] === problem.at[0] && message === problem.message);
    return { ...problem, basis: exact ? ('exact' as const) : ('examples' as const) };
  });
}

/** The rules of which one holds whenever the later one does: a single one if there is, else several; null if not certain. */
function coverOf(
  later: readonly Conjunct[],
  before: readonly number[],
  cases: readonly (readonly Conjunct[] | null)[],
  budget: { left: number },
): number[] | null {
  if (budget.left <= 0) return null;
  const coverers = later.map((one) =>
    before.filter((earlier) =>
      cases[earlier]?.some((other) => {
        budget.left--;
        return budget.left >= 0 && implies(one, other);
      }),
    ),
  );
  const alone = before.find((earlier) => coverers.every((list) => list.includes(earlier)));
  if (alone !== undefined) return [alone];
  if (coverers.some((list) => list.length === 0)) return null;
  return [...new Set(coverers.flat())];
}

/** Both are certain to be true at once on some input, and they speak of a common field, else every pair would be told. */
function overlap(
  a: readonly Conjunct[] | null,
  b: readonly Conjunct[] | null,
  schema: SchemaSets,
  budget: { left: number },
): boolean {
  if (budget.left <= 0) return false;
  const understood = (list: readonly Conjunct[] | null) => list?.filter(({ opaque }) => opaque.size === 0) ?? [];
  const others = understood(b);
  return understood(a).some((one) =>
    others.some((other) => {
      if (--budget.left < 0 || ![...one.fields.keys()].some((key) => other.fields.has(key))) return false;
      const joint = intersectConjuncts(one, other);
      const allowed = isImpossible(joint) ? null : schema.narrow(joint);
      return allowed !== null && schema.isExact(allowed);
    }),
  );
}
