/** Rules that examples suggest: half of the rows is searched, the other half bounds how far each can be trusted. */

import type { Rule } from '../../domain/definition.ts';
import { computeUpperBound } from '../../intervals.ts';
import { type Json, type JsonObject, toCanonicalJson } from '../../json.ts';
import { deriveSeed, hashNumber, hashString, randomStreams } from '../../random.ts';
import { collectRows } from '../../row-sets.ts';
import { compileRules } from '../compile.ts';
import type { RuleProposals } from '../results.ts';
import type { CompiledRules } from '../rules-file.ts';
import { type FieldTest, listFieldTests, type SearchRow } from './field-tests.ts';
import { type Conjunction, findConjunctions } from './find-conjunctions.ts';

/** An example; `decision` is null where it is not labelled. */
export type ProposalRow = { id: string; input: JsonObject; decision: string | null };
type ProposalRequest = {
  options: readonly string[];
  /** The rules of the type, which come first. */
  saved: CompiledRules;
  piiFields: readonly string[];
  /** The least bound of the precision, 0 to 1, with which a rule is proposed. */
  minPrecision: number;
};

type Proposal = RuleProposals['items'][number];

/** The chance that any bound of an answer is wrong. */
const risk = 0.05;
const maxOptions = 20;
const maxListedIds = 20;
/** Rows between two pauses. */
const rowsAtOnce = 250;

/** Searches for rules, those that decide most first, in any order of rows; pauses often. */
export function* proposeRules(
  rows: readonly ProposalRow[],
  request: ProposalRequest,
): Generator<undefined, RuleProposals> {
  const undecided = yield* listUndecided(rows, request.saved);
  const { searched, checked } = yield* splitRows(undecided, request.options);
  const counts = {
    examples: rows.length,
    undecided: undecided.length,
    searched: searched.length,
    checked: checked.length,
  };
  const candidates = yield* search(searched, request);
  const compiled = compileCandidates(candidates, request);
  const items: Proposal[] = [];
  for (const [place, rule] of compiled.file.rules.entries()) {
    const matches = yield* listMatches(compiled, place, undecided);
    const proposal = judge(rule, matches, checked, compiled.file.rules.length, rows.length);
    if (proposal.precision_low >= request.minPrecision && proposal.precision_low > shareOf(rule.then, checked))
      items.push(proposal);
  }
  items.sort((a, b) => b.share - a.share || (a.rule.condition < b.rule.condition ? -1 : 1));
  return { items, rows: counts, tried: compiled.file.rules.length };
}

function* listUndecided(rows: readonly ProposalRow[], saved: CompiledRules): Generator<undefined, ProposalRow[]> {
  const undecided: ProposalRow[] = [];
  for (const [place, row] of rows.entries()) {
    if (saved.evaluate(row.input, false).matched === null) undecided.push(row);
    if (place % rowsAtOnce === 0) yield undefined;
  }
  return undecided;
}

/** Deals distinct labelled rows to the two halves by a hash of their inputs, in the order of these hashes. */
function* splitRows(
  rows: readonly ProposalRow[],
  options: readonly string[],
): Generator<undefined, { searched: SearchRow[]; checked: ProposalRow[] }> {
  const seed = deriveSeed(randomStreams.ruleProposalHalves);
  const byHash = new Map<number, ProposalRow[]>();
  for (const [place, row] of rows.entries()) {
    if (place % rowsAtOnce === 0) yield undefined;
    if (row.decision === null || !options.includes(row.decision)) continue;
    const hash = hashInput(row.input, seed);
    const same = byHash.get(hash) ?? [];
    if (!same.some((other) => isSameExample(other, row))) byHash.set(hash, [...same, row]);
  }
  const sorted = [...byHash]
    .sort(([a], [b]) => a - b)
    .flatMap(([hash, same]) => same.map((row) => ({ row, isSearched: (hash & 1) === 0 })));
  const searched = sorted
    .filter(({ isSearched }) => isSearched)
    .map(({ row }) => ({ input: row.input, label: options.indexOf(row.decision ?? '') }));
  return { searched, checked: sorted.filter(({ isSearched }) => !isSearched).map(({ row }) => row) };
}

/** Hashes JSON in any order of keys to 32 bits, several times as fast as its canonical JSON. */
function hashInput(value: Json, seed: number): number {
  if (typeof value === 'string') return hashString(value, seed);
  if (typeof value === 'number') return hashNumber(value | 0, hashNumber((value % 1) * 2 ** 32, seed + 1));
  if (value === null || typeof value !== 'object') return hashString(String(value), seed + 1);
  let hash = seed;
  if (Array.isArray(value)) {
    for (const member of value) hash = hashNumber(hash, hashInput(member, seed));
    return hashNumber(hash, seed + 2);
  }
  // A sum, so that the order of the members does not matter.
  for (const name in value)
    hash = (hash + hashNumber(hashString(name, seed), hashInput(value[name] ?? null, seed))) | 0;
  return hashNumber(hash, seed + 3);
}

function isSameExample(a: ProposalRow, b: ProposalRow): boolean {
  return a.decision === b.decision && toCanonicalJson(a.input) === toCanonicalJson(b.input);
}

/** Finds conditions for the most frequent options that are precise enough on the searched rows. */
function* search(
  rows: readonly SearchRow[],
  { options, piiFields, minPrecision }: ProposalRequest,
): Generator<undefined, { then: string; tests: readonly FieldTest[] }[]> {
  const tests: FieldTest[] = [];
  for (const test of listFieldTests(rows, options.length, piiFields)) {
    if (test) tests.push(test);
    yield undefined;
  }
  const all = collectRows(rows.length, () => true);
  const counts = options.map((option, label) => ({
    option,
    label,
    count: rows.filter((row) => row.label === label).length,
  }));
  const found: { then: string; tests: readonly FieldTest[] }[] = [];
  for (const { option, label } of counts.toSorted((a, b) => b.count - a.count).slice(0, maxOptions)) {
    const target = collectRows(rows.length, (row) => rows[row]?.label === label);
    const conjunctions: Conjunction[] = yield* findConjunctions(tests, target, all);
    for (const { tests: chosen, hits, others } of conjunctions)
      if (hits / (hits + others) >= minPrecision) found.push({ then: option, tests: chosen });
  }
  return found;
}

/** Compiles the candidates as rules behind those of the type; each is evaluated by itself. */
function compileCandidates(
  candidates: readonly { then: string; tests: readonly FieldTest[] }[],
  { options, saved }: ProposalRequest,
): CompiledRules {
  const names = new Set(saved.file.rules.map(({ name }) => name));
  const last = Math.max(0, ...saved.file.rules.map((rule) => rule.priority));
  const priority = Math.min(last + 10, Number.MAX_SAFE_INTEGER);
  const rules = candidates.flatMap(({ then, tests }): Rule[] => {
    const condition = [...new Set(tests.flatMap(({ guards, source }) => [...guards, source]))].join(' && ');
    const rule = { name: nameRule(condition, names), condition, then, reason_code: null, priority };
    if (!compileRules([rule], { options, reason_codes: [] }).ok) return [];
    names.add(rule.name);
    return [rule];
  });
  const compiled = compileRules(rules, { options, reason_codes: [] });
  if (!compiled.ok) throw new Error('Rules that compile one by one do not compile together.');
  return compiled.value;
}

/** A name that no other rule has: the condition as it reads. */
function nameRule(condition: string, names: ReadonlySet<string>): string {
  const base = Array.from(condition.replaceAll('ctx.', '')).slice(0, 90).join('');
  let name = base;
  for (let number = 2; names.has(name); number++) name = `${base} (${number})`;
  return name;
}

function* listMatches(
  rules: CompiledRules,
  place: number,
  rows: readonly ProposalRow[],
): Generator<undefined, ProposalRow[]> {
  const matches: ProposalRow[] = [];
  for (const [index, row] of rows.entries()) {
    if (rules.evaluateOne(place, row.input) === true) matches.push(row);
    if (index % rowsAtOnce === 0) yield undefined;
  }
  return matches;
}

function judge(
  rule: Rule,
  matches: readonly ProposalRow[],
  checked: readonly ProposalRow[],
  tried: number,
  examples: number,
): Proposal {
  const unseen = new Set(checked);
  const labelled = matches.filter(({ decision }) => decision !== null);
  const against = labelled.filter(({ decision }) => decision !== rule.then);
  const tally = matches.filter((row) => unseen.has(row));
  const hits = tally.filter(({ decision }) => decision === rule.then).length;
  const { name, condition, then, reason_code, priority } = rule;
  return {
    rule: { name, condition, then, reason_code, priority },
    for: labelled.length - against.length,
    against: against.length,
    against_ids: against.slice(0, maxListedIds).map(({ id }) => id),
    checked: { for: hits, against: tally.length - hits },
    precision_low: 1 - computeUpperBound(tally.length - hits, tally.length, risk / tried),
    share: matches.length / examples,
  };
}

function shareOf(option: string, rows: readonly ProposalRow[]): number {
  return rows.filter(({ decision }) => decision === option).length / Math.max(1, rows.length);
}
