/** Checks rules against one another, the input schema and the examples: what is valid but probably not intended. */
import type { z } from 'zod';
import type { JsonObject } from '../../json.ts';
import { countOf } from '../../numeric.ts';
import { printPath } from '../parsing/print.ts';
import type { ruleFindingSchema } from '../results.ts';
import type { RulesFile } from '../rules-file.ts';
import { type At, listChildren, type RuleNode } from '../tree.ts';
import { type FieldTypes, inferType, toFieldPath } from '../types.ts';
import { always, type Conjunct, implies, intersectConjuncts, isImpossible, toDisjunctiveForm } from './conjuncts.ts';
import { addTime, findDateTexts, findLastDays } from './date-texts.ts';
import { type FieldSet, isLiteral, type Literal } from './field-set.ts';
import { createFieldTypes, type KnownField, listSchemaFields } from './fields.ts';
import { findConstantErrors, foldConstants } from './fold.ts';
import type { Impact } from './impact.ts';
import { findLostDigits } from './lost-digits.ts';
import { readSchemaSets } from './schema-sets.ts';
import { findVainParts } from './vain-parts.ts';

/**
 * A finding about rules by their places; `at` counts code points. Basis `exact` holds for every input, `examples` was
 * so on those tried, of which `shown_by` shows it.
 */
export type RuleFinding = Omit<z.infer<typeof ruleFindingSchema>, 'range'> & { at: At | null };
type RuleEvidence = { fields: readonly KnownField[]; impact: Impact };

/** A problem as one check reports it; the rest has the usual values. */
type Finding = Pick<RuleFinding, 'kind' | 'message' | 'suggestion'> & Partial<RuleFinding>;
/** A condition as alternatives of conjunctions; null where there are too many. */
type Alternatives = readonly Conjunct[] | null;
/** Everything that the checks read. The lists are in evaluation order. */
type Context = {
  rules: RulesFile['rules'];
  /** The values that the schema allows fields, by their paths as JSON. */
  schema: ReadonlyMap<string, FieldSet>;
  /** Types of the fields that the schema names, and of those with the examples' fields, or null. */
  schemaTypes: FieldTypes | null;
  knownTypes: FieldTypes | null;
  /** Null without examples. */
  impact: Impact | null;
  /** All values of a field on the examples, the most frequent first, by its path as JSON; only of fields with few. */
  valuesByField: ReadonlyMap<string, Literal[]>;
  /** Fields whose values on the examples have a time. */
  withTimes: ReadonlySet<string>;
  /** The conditions with their constants worked out: like the two lists below, of the rules that were looked at. */
  folded: RuleNode[];
  /** Their alternatives without the impossible ones, and those again as far as the schema allows them. */
  alternatives: Alternatives[];
  allowed: Alternatives[];
  /** Pairs of alternatives that may still be compared. */
  budget: { left: number };
};

/** Pairs of alternatives that are compared before the exact check leaves the rest to the examples. */
const maxComparisons = 50_000;
/** Pairs of listed values that take as long as one pair of alternatives. */
const listedPairsPerComparison = 2_000;
/** Fields of two alternatives that count as one comparison. */
const fieldsPerComparison = 16;
const maxNamedValues = 6;
const reorder = 'Give it a lower priority number, or remove it.';

/** Finds what is wrong with rules, exactly for the schema or on the examples: the first `maxFindings`. */
export function lintRules(
  rules: RulesFile['rules'],
  inputSchema: JsonObject | null,
  evidence: RuleEvidence | null = null,
  maxFindings = Number.POSITIVE_INFINITY,
): RuleFinding[] {
  const context = createContext(rules, inputSchema, evidence);
  /** Rules that some input may reach, as far as is known. */
  const reachable: number[] = [];
  const all: RuleFinding[] = [];
  for (const [index, { ast, condition }] of rules.entries()) {
    if (all.length >= maxFindings) break;
    readCondition(ast, context);
    const findings = [
      ...findFieldProblems(index, context),
      ...findDateTexts(ast).map((found): Finding => ({ ...found, kind: 'field' })),
      ...findLastDays(ast, (path) => context.withTimes.has(JSON.stringify(path))).map(
        (found): Finding => ({ ...found, kind: 'field', basis: 'examples', shown_by: toShownBy(0, context) }),
      ),
      ...findFailingParts(index, context),
      ...findLostDigits(ast, condition).map((found): Finding => ({ ...found, kind: 'loses_digits' })),
      ...findVainParts(ast),
    ];
    // A part that is marked says more than that the whole is so.
    const isMarked = findings.some(({ kind }) => kind === 'never_true');
    findings.push(...findAlwaysTrue(index, context));
    const unreachable = findContradiction(index, context) ?? findCover(index, reachable, context);
    if (unreachable === null) {
      findings.push(...findOnExamples(index, context), ...findOverlaps(index, reachable, context));
      reachable.push(index);
    } else if (!isMarked || unreachable.kind !== 'never_true') findings.push(unreachable);
    const usual = { severity: 'warning', basis: 'exact', shown_by: null, rule: index, other: null, at: null } as const;
    all.push(...findings.map((finding): RuleFinding => ({ ...usual, ...finding })));
  }
  return all.slice(0, maxFindings);
}

function createContext(
  rules: RulesFile['rules'],
  inputSchema: JsonObject | null,
  evidence: RuleEvidence | null,
): Context {
  const named = listSchemaFields(inputSchema);
  const seen = evidence?.fields ?? [];
  const schemaTypes = named.length > 0 ? createFieldTypes(named) : null;
  return {
    rules,
    schema: readSchemaSets(inputSchema),
    schemaTypes,
    knownTypes: seen.length > 0 ? createFieldTypes([...seen, ...named]) : schemaTypes,
    impact: evidence && evidence.impact.rows > 0 ? evidence.impact : null,
    valuesByField: new Map(
      seen.flatMap(({ path, values }) => (values ? [[JSON.stringify(path), values.filter(isLiteral)]] : [])),
    ),
    withTimes: new Set(seen.flatMap(({ path, hasTimes }) => (hasTimes ? [JSON.stringify(path)] : []))),
    folded: [],
    alternatives: [],
    allowed: [],
    budget: { left: maxComparisons },
  };
}

function readCondition(ast: RuleNode, { schema, folded, alternatives, allowed }: Context): void {
  const constant = foldConstants(ast);
  const own = toDisjunctiveForm(constant)?.filter((conjunct) => !isImpossible(conjunct)) ?? null;
  folded.push(constant);
  alternatives.push(own);
  allowed.push(own?.map((conjunct) => narrow(conjunct, schema)).filter((some) => !isImpossible(some)) ?? null);
}

/** Narrows a conjunction to the values that the schema allows its fields, where these are there. */
function narrow(conjunct: Conjunct, schema: Context['schema']): Conjunct {
  const fields = [...conjunct.values].flatMap(([key, { present }]): [string, FieldSet][] => {
    const set = present ? schema.get(key) : undefined;
    return set ? [[key, set]] : [];
  });
  return intersectConjuncts(conjunct, { ...always, values: new Map(fields) });
}

function toShownBy(rows: number, { impact }: Context): RuleFinding['shown_by'] {
  return impact ? { rows, of: impact.rows } : null;
}

/** Finds unknown fields and wrong types: by the schema alone where that is enough, else by the examples' fields. */
function findFieldProblems(index: number, context: Context): Finding[] {
  const ast = context.rules[index]?.ast;
  const { schemaTypes, knownTypes } = context;
  if (!ast || knownTypes === null) return [];
  const { problems } = inferType(ast, knownTypes);
  const bySchema =
    schemaTypes === null ? [] : schemaTypes === knownTypes ? problems : inferType(ast, schemaTypes).problems;
  return problems.map((problem): Finding => {
    const isExact = bySchema.some(({ at, message }) => at[0] === problem.at[0] && message === problem.message);
    return {
      ...problem,
      kind: 'field',
      basis: isExact ? 'exact' : 'examples',
      shown_by: isExact ? null : toShownBy(context.impact?.rows ?? 0, context),
    };
  });
}

function findFailingParts(index: number, { rules }: Context): Finding[] {
  const ast = rules[index]?.ast;
  const errors = ast ? findConstantErrors(ast) : [];
  return errors.map(({ at, kind, suggestion }) => ({
    kind: 'always_fails',
    message: `This part fails on every input: ${kind}.`,
    suggestion: suggestion ?? 'Correct its values. A rule that fails does not match.',
    at,
  }));
}

function findAlwaysTrue(index: number, { folded }: Context): Finding[] {
  const ast = folded[index];
  if (!ast || (ast.k === 'lit' && ast.v !== true)) return [];
  const whenFalse = toDisjunctiveForm({ k: 'not', of: ast, at: ast.at });
  if (whenFalse?.every(isImpossible) !== true) return [];
  return [
    {
      kind: 'always_true',
      message: ast.k === 'lit' ? 'The condition is always true.' : 'The condition is true whatever its fields hold.',
      suggestion:
        ast.k === 'lit'
          ? 'The rules after this one are never reached.'
          : 'Join its parts by && where all of them are meant; the rules after it are never reached.',
    },
  ];
}

/** Finds that the condition by itself, or with the schema, leaves no input on which it is true. */
function findContradiction(index: number, { alternatives, allowed }: Context): Finding | null {
  if (allowed[index]?.length !== 0) return null;
  if (alternatives[index]?.length === 0)
    return {
      kind: 'never_true',
      message: 'The condition contradicts itself: it is never true.',
      suggestion: 'Check the bounds and the values.',
    };
  return {
    kind: 'never_true',
    message: 'The input schema allows no input on which this condition is true.',
    suggestion: 'Compare with the values that the schema allows.',
  };
}

/** Finds that whenever the rule matches, one of the earlier rules matches too. */
function findCover(index: number, earlier: readonly number[], context: Context): Finding | null {
  const own = context.allowed[index];
  const cover = own ? computeCover(own, earlier, context) : null;
  if (!cover) return null;
  const [only = null, ...others] = cover;
  const single = others.length === 0 ? only : null;
  return {
    kind: 'never_reached',
    message:
      single !== null
        ? `This rule is never reached: "${context.rules[single]?.name}" matches whenever it does.`
        : 'This rule is never reached: whenever it matches, an earlier rule matches too.',
    suggestion: reorder,
    other: single,
    shown_by: toShownBy(context.impact?.rules[index]?.holds ?? 0, context),
  };
}

/** Counts the cost of a comparison: long lists are compared value by value, many fields one by one. */
function weighComparison(a: Conjunct, b: Conjunct): number {
  const forLists = Math.floor((countListed(a) * countListed(b)) / listedPairsPerComparison);
  return 1 + forLists + Math.floor((a.values.size + b.values.size) / fieldsPerComparison);
}

function countListed({ values }: Conjunct): number {
  let count = 0;
  for (const { only, not } of values.values()) count += (only?.size ?? 0) + not.length;
  return count;
}

/** Returns rules of which one matches whenever the later one does: a single one if there is, null if not certain. */
function computeCover(
  later: readonly Conjunct[],
  earlier: readonly number[],
  { alternatives, budget }: Context,
): number[] | null {
  if (budget.left <= 0) return null;
  const covers = later.map((conjunct) =>
    earlier.filter((rule) =>
      alternatives[rule]?.some((other) => {
        budget.left -= weighComparison(conjunct, other);
        return budget.left >= 0 && implies(conjunct, other);
      }),
    ),
  );
  const single = earlier.find((rule) => covers.every((cover) => cover.includes(rule)));
  if (single !== undefined) return [single];
  if (covers.some((cover) => cover.length === 0)) return null;
  return [...new Set(covers.flat())];
}

/** Finds what does not follow from the conditions but is so on every example. */
function findOnExamples(index: number, context: Context): Finding[] {
  const { rules, impact } = context;
  const effect = impact?.rules[index];
  if (!impact || !effect) return [];
  const failing = effect.holds > 0 && effect.errors > 0 ? [describeFailures(index, context)] : [];
  if (effect.matched > 0) return failing;
  if (effect.holds === 0) {
    const failures = effect.errors > 0 ? `, and it fails on ${effect.errors} of them` : '';
    return [
      {
        kind: 'no_example',
        severity: 'info',
        basis: 'examples',
        message: `No example matches this rule${failures}.`,
        suggestion:
          suggestTime(rules[index]?.ast ?? null, context) ??
          nameRealValues(index, context) ??
          'Compare its fields and values with those of the examples.',
        shown_by: { rows: impact.rows, of: impact.rows },
      },
    ];
  }
  const other = impact.together[index]?.indexOf(effect.holds) ?? -1;
  return [
    ...failing,
    {
      kind: 'never_reached',
      basis: 'examples',
      message:
        other >= 0
          ? `On the examples this rule never decides: "${rules[other]?.name}" matches every one that it matches.`
          : 'On the examples this rule never decides: earlier rules match every one that it matches.',
      suggestion: reorder,
      other: other >= 0 ? other : null,
      shown_by: { rows: effect.holds, of: impact.rows },
    },
  ];
}

/** Says on how many examples a rule fails that holds on others. */
function describeFailures(index: number, context: Context): Finding {
  const errors = context.impact?.rules[index]?.errors ?? 0;
  return {
    kind: 'field',
    severity: 'info',
    basis: 'examples',
    message: `It fails on ${countOf(errors, 'example')}, which it does not match.`,
    suggestion:
      suggestTime(context.rules[index]?.ast ?? null, context) ??
      'Ask by has(…) for what may be left out, and compare its values with those of the examples.',
    shown_by: toShownBy(errors, context),
  };
}

/** A day with a time as imports keep one that has no zone. */
const timeWithoutZone = /^\d{4}-\d\d-\d\d[T ][\d:.]+$/;

/** Says how days and times become timestamps where a rule reads such a field by `timestamp`; else null. */
function suggestTime(node: RuleNode | null, context: Context): string | null {
  if (node === null) return null;
  const [of] = node.k === 'call' && node.fn === 'timestamp' ? node.args : [];
  const path = of && toFieldPath(of);
  const seen = path ? context.valuesByField.get(JSON.stringify(path)) : undefined;
  // Of many values none is listed.
  if (path && seen === undefined && context.impact !== null)
    return `timestamp(…) takes a day with its time and zone: of days alone write timestamp(${printPath(path)} + "T00:00:00Z"), of times without a zone timestamp(${printPath(path)} + "Z").`;
  if (path && seen?.some((value) => typeof value === 'string' && addTime(value) !== null))
    return `Its days have no time: write timestamp(${printPath(path)} + "T00:00:00Z").`;
  const local = seen?.find((value) => typeof value === 'string' && timeWithoutZone.test(value));
  if (path && local !== undefined)
    return String(local)[10] === 'T'
      ? `Its times have no zone: write timestamp(${printPath(path)} + "Z") for UTC.`
      : `Its times have no zone: compare them as texts, as in ${printPath(path)} < "${String(local).slice(0, 10)}".`;
  return listChildren(node).reduce<string | null>((found, child) => found ?? suggestTime(child, context), null);
}

/** Names the values that a field has on the examples, where a rule only asks for others; else null. */
function nameRealValues(index: number, { alternatives, valuesByField }: Context): string | null {
  for (const { values } of alternatives[index] ?? []) {
    for (const [key, { only }] of values) {
      const known = valuesByField.get(key);
      if (!only?.size || !known || known.some((value) => only.has(value))) continue;
      const asked = [...only].map((value) => JSON.stringify(value)).join(' or ');
      const real = known.slice(0, maxNamedValues).map((value) => JSON.stringify(value));
      const more = known.length > real.length ? ' and others' : '';
      return `${printPath(JSON.parse(key) as string[])} is never ${asked}. It is ${real.join(', ')}${more}.`;
    }
  }
  return null;
}

/** Finds earlier rules with another option that some example matches too. */
function findOverlaps(index: number, earlier: readonly number[], context: Context): Finding[] {
  const { rules, impact } = context;
  const rule = rules[index];
  return earlier.flatMap((other): Finding[] => {
    const before = rules[other];
    if (!rule || !before || before.then === rule.then) return [];
    const rows = impact?.together[index]?.[other] ?? 0;
    if (rows === 0) return [];
    const isTie = before.priority === rule.priority;
    return [
      {
        kind: 'overlap',
        severity: isTie ? 'warning' : 'info',
        basis: 'examples',
        message: `Some examples also match "${before.name}", which decides ${before.then} first.`,
        suggestion: isTie
          ? 'Give the two rules different priorities to make their order certain.'
          : 'Check that this order is intended.',
        other,
        shown_by: toShownBy(rows, context),
      },
    ];
  });
}
