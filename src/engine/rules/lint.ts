/** Checks rules against one another and against the input schema: what is correct but surely not meant. */
import type { JsonObject } from '../domain.ts';
import type { RulesFile } from './compile.ts';
import { fieldsOfSchema, type KnownField, typesOfFields } from './fields.ts';
import { foldConstants } from './fold.ts';
import {
  both,
  type Conjunct,
  conjunctsOf,
  type FieldSet,
  implies,
  isEmpty,
  isImpossible,
  type Literal,
  meet,
} from './ranges.ts';
import { staticTypeOf } from './types.ts';

/** `rule` and `other` are places in evaluation order. `at` is a range of the condition in code points, where there is one. */
export type RuleFinding = {
  kind: 'never_true' | 'always_true' | 'never_reached' | 'overlap' | 'field';
  severity: 'warning' | 'info';
  rule: number;
  other: number | null;
  message: string;
  suggestion: string | null;
  at: readonly [number, number] | null;
};

/**
 * Everything noteworthy about rules in evaluation order. Sound, not complete: what is told is so (as far as inputs
 * follow the schema); parts of conditions that are not comparisons of a field with a literal are only compared as text.
 */
export function lintRules(
  rules: RulesFile['rules'],
  inputSchema: JsonObject | null,
  seen: readonly KnownField[] = [],
): RuleFinding[] {
  const findings: RuleFinding[] = [];
  const schemaFields = fieldsOfSchema(inputSchema);
  const known = [...seen, ...schemaFields];
  const bySchema = new Map(schemaFields.map((field) => [JSON.stringify(field.path), schemaSet(field)]));
  const folded = rules.map((rule) => foldConstants(rule.ast));
  const cases = folded.map((ast) => conjunctsOf(ast)?.filter((conjunct) => !isImpossible(conjunct)) ?? null);
  const alive: boolean[] = [];

  for (const [index, rule] of rules.entries()) {
    const find = (
      kind: RuleFinding['kind'],
      message: string,
      suggestion: string | null,
      other: number | null = null,
      at: RuleFinding['at'] = null,
    ) =>
      findings.push({
        kind,
        severity: kind === 'overlap' && rules[other ?? 0]?.priority !== rule.priority ? 'info' : 'warning',
        rule: index,
        other,
        message,
        suggestion,
        at,
      });
    if (known.length > 0) {
      for (const problem of staticTypeOf(rule.ast, typesOfFields(known)).problems)
        find('field', problem.message, problem.suggestion, null, problem.at);
    }
    const own = cases[index] ?? null;
    const ast = folded[index];
    alive[index] = false;
    if (ast?.k === 'lit' && ast.v === true)
      find('always_true', 'The condition is always true.', 'Rules behind this one are never reached.');
    if (own && own.length === 0) {
      find('never_true', 'The condition contradicts itself: it is never true.', 'Check the bounds and the values.');
      continue;
    }
    if (own?.every((conjunct) => !fits(conjunct, bySchema))) {
      find(
        'never_true',
        'The input schema lets this condition never be true.',
        'Compare with the values that the schema allows.',
      );
      continue;
    }
    const cover = own
      ? rules.findIndex((_, before) => before < index && alive[before] && covers(cases[before] ?? null, own))
      : -1;
    if (cover >= 0) {
      find(
        'never_reached',
        `This rule is never reached: "${rules[cover]?.name}" holds whenever it does.`,
        'Give it a lower priority number, or remove it.',
        cover,
      );
      continue;
    }
    alive[index] = true;
    for (let before = 0; before < index; before++) {
      const earlier = rules[before];
      if (!earlier || !alive[before] || earlier.then === rule.then || !overlap(cases[before] ?? null, own)) continue;
      find(
        'overlap',
        `Some inputs match "${earlier.name}" too, which decides ${earlier.then} first.`,
        'Make the order certain with different priorities.',
        before,
      );
    }
  }
  return findings;
}

function covers(earlier: readonly Conjunct[] | null, later: readonly Conjunct[]): boolean {
  return earlier !== null && later.every((one) => earlier.some((other) => implies(one, other)));
}

/** Both can be true at once, and they speak of a common field, else every pair of rules would be told. */
function overlap(a: readonly Conjunct[] | null, b: readonly Conjunct[] | null): boolean {
  if (!a || !b) return false;
  return a.some((left) =>
    b.some((right) => [...left.fields.keys()].some((key) => right.fields.has(key)) && !isImpossible(both(left, right))),
  );
}

function fits(conjunct: Conjunct, schema: ReadonlyMap<string, FieldSet>): boolean {
  return [...conjunct.fields].every(([key, set]) => {
    const allowed = schema.get(key);
    return !allowed || !isEmpty(meet(allowed, set));
  });
}

function schemaSet(field: KnownField): FieldSet {
  const literals =
    field.values?.filter((value): value is Literal => value === null || typeof value !== 'object') ?? null;
  const only =
    literals && literals.length === field.values?.length ? literals : field.type === 'bool' ? [true, false] : null;
  const numeric = field.type === 'number' && !only;
  return {
    only,
    not: [],
    low: numeric ? { value: field.low ?? Number.NEGATIVE_INFINITY, open: false } : null,
    high: numeric ? { value: field.high ?? Number.POSITIVE_INFINITY, open: false } : null,
  };
}
