/** Rules against what the type already knows: its examples, and the inputs it has decided on. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject, Rule } from '../../engine/domain.ts';
import { type CompiledRules, compileRules, utf16Range } from '../../engine/rules/compile.ts';
import { compareRules, type Impact, type ImpactRow, type RulesChange, ruleImpact } from '../../engine/rules/impact.ts';
import { lintRules } from '../../engine/rules/lint.ts';
import { knownOfSeen, surveyFields } from '../../engine/rules/survey.ts';
import type { RulesAnalysis } from '../contract/rules.ts';
import type { DecisionTypeRow } from '../store/decision-types.ts';
import type { Deps } from './context.ts';

const mostExamples = 20_000;
const mostLogged = 5000;
const mostListed = 20;
/** Small enough that calls for decisions never wait long, and below what the engine lists of differing rows. */
const chunkSize = 100;

type Request = {
  rules: Rule[];
  options?: string[] | undefined;
  reason_codes?: string[] | undefined;
  input_schema?: JsonObject | null | undefined;
};
type Chunks = Iterable<ImpactRow[]>;
type Measured = { impact: Impact | null; change: RulesChange | null };

/** Problems, findings, impact and known fields of unsaved rules; options and schema default to those saved. */
export async function analyseRules(
  deps: Pick<Deps, 'store'>,
  type: DecisionTypeRow,
  request: Request,
): Promise<RulesAnalysis> {
  const { definition } = type.activeVersion;
  const compiled = compileRules(request.rules, {
    options: request.options ?? definition.options,
    reason_codes: request.reason_codes ?? definition.reason_codes,
  });
  const saved = compileRules(definition.hard_rules, definition);
  const now = compiled.ok ? compiled.value : null;
  const before = saved.ok ? saved.value : null;
  const survey = surveyFields(type.piiFields);
  const examples = await measure(examplesOf(deps, type), now, before, survey.add);
  const fields = survey.fields();
  if (!compiled.ok) return { problems: compiled.problems, findings: [], impact: null, fields };
  const decisions = await measure(loggedOf(deps, type), now, before);
  const inputSchema = request.input_schema === undefined ? definition.input_schema : request.input_schema;
  return {
    problems: [],
    findings: findingsOf(
      compiled.value,
      request.rules,
      lintRules(compiled.value.file.rules, inputSchema, knownOfSeen(fields)),
    ),
    impact: impactOf(request.rules, examples, decisions),
    fields,
  };
}

function* examplesOf({ store }: Pick<Deps, 'store'>, type: DecisionTypeRow): Generator<ImpactRow[]> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let read = 0; read < mostExamples; read += chunkSize) {
    const rows = store.examples.chunk(type.id, before, chunkSize);
    yield rows;
    before = rows.at(-1)?.seq ?? 0;
    if (rows.length < chunkSize) return;
  }
}

function* loggedOf({ store }: Pick<Deps, 'store'>, type: DecisionTypeRow): Generator<ImpactRow[]> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let read = 0; read < mostLogged; read += chunkSize) {
    const rows = store.logs.chunk(type.seq, {}, before, chunkSize);
    yield rows.map((row) => ({ id: row.id, input: JSON.parse(row.inputJson) as JsonObject, decision: row.decision }));
    before = rows.at(-1)?.seq ?? 0;
    if (rows.length < chunkSize) return;
  }
}

async function measure(
  chunks: Chunks,
  rules: CompiledRules | null,
  saved: CompiledRules | null,
  see: (input: JsonObject) => void = () => {},
): Promise<Measured> {
  let impact: Impact | null = null;
  let change: RulesChange | null = null;
  for (const rows of chunks) {
    for (const row of rows) see(row.input);
    if (rules) {
      impact = sumImpact(impact, ruleImpact(rules, rows));
      if (saved) change = sumChange(change, compareRules(saved, rules, rows));
    }
    await nextTurn();
  }
  return { impact, change };
}

function sumImpact(sum: Impact | null, more: Impact): Impact {
  if (!sum) return more;
  sum.rows += more.rows;
  sum.undecided += more.undecided;
  for (const [index, rule] of sum.rules.entries()) {
    const other = more.rules[index];
    if (!other) continue;
    for (const key of ['matched', 'agrees', 'disagrees', 'unlabelled', 'errors'] as const) rule[key] += other[key];
    if (rule.disagreeing.length < mostListed) rule.disagreeing.push(...other.disagreeing);
  }
  return sum;
}

function sumChange(sum: RulesChange | null, more: RulesChange): RulesChange {
  if (!sum) return more;
  sum.rows += more.rows;
  sum.changed += more.changed;
  if (sum.differing.length < mostListed) sum.differing.push(...more.differing);
  return sum;
}

function findingsOf(
  compiled: CompiledRules,
  given: readonly Rule[],
  findings: ReturnType<typeof lintRules>,
): RulesAnalysis['findings'] {
  // The engine counts in evaluation order, a client in the order it sent; names are unique by now.
  const placeOf = (index: number) => given.findIndex(({ name }) => name === compiled.file.rules[index]?.name);
  return findings.map(({ at, rule, other, ...rest }) => ({
    ...rest,
    rule: placeOf(rule),
    other: other === null ? null : placeOf(other),
    range: at && utf16Range(compiled.file.rules[rule]?.condition ?? '', at),
  }));
}

function impactOf(given: readonly Rule[], examples: Measured, decisions: Measured): RulesAnalysis['impact'] {
  if (!examples.impact || !decisions.impact) return null;
  const logged = new Map(decisions.impact.rules.map((rule) => [rule.name, rule]));
  const listed = (change: RulesChange) => ({ ...change, differing: change.differing.slice(0, mostListed) });
  return {
    examples: { rows: examples.impact.rows, undecided: examples.impact.undecided },
    decisions: { rows: decisions.impact.rows, undecided: decisions.impact.undecided },
    rules: examples.impact.rules.map(({ name, ...counts }) => {
      const labelled = counts.agrees + counts.disagrees;
      const log = logged.get(name);
      return {
        rule: given.findIndex((rule) => rule.name === name),
        name,
        examples: {
          ...counts,
          agreement: labelled === 0 ? null : counts.agrees / labelled,
          disagreeing: counts.disagreeing.slice(0, mostListed),
        },
        decisions: { matched: log?.matched ?? 0, changed: log?.disagrees ?? 0, errors: log?.errors ?? 0 },
      };
    }),
    against_saved:
      examples.change && decisions.change
        ? { examples: listed(examples.change), decisions: listed(decisions.change) }
        : null,
  };
}
