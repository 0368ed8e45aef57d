/** Rules against what the type already knows: its examples, and the inputs it has decided on. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject, Rule } from '../../engine/domain.ts';
import {
  type Impact,
  type ImpactRow,
  type RulesChange,
  startComparison,
  startImpact,
} from '../../engine/rules/analysis/impact.ts';
import { lintRules, type RuleFinding } from '../../engine/rules/analysis/lint.ts';
import { surveyFields, toKnownFields } from '../../engine/rules/analysis/survey.ts';
import { type CompiledRules, compileRules } from '../../engine/rules/compile.ts';
import { utf16Range } from '../../engine/rules/parse.ts';
import { analysisLimits, type RulesAnalysis } from '../contract/rules.ts';
import type { Deps } from '../operations/context.ts';
import type { DecisionTypeRow } from '../store/decision-types.ts';

const { maxExamples, maxLoggedDecisions, maxFindings } = analysisLimits;
/** Characters of an input that are shown beside a row. */
const shownInput = 160;
/** Small enough that calls for decisions never wait long. */
const chunkSize = 100;

type Request = {
  rules: Rule[];
  options?: string[] | undefined;
  reason_codes?: string[] | undefined;
  input_schema?: JsonObject | null | undefined;
};
type Chunks = Iterable<ImpactRow[]>;
type Measured = { impact: Impact; change: RulesChange | null };

/** Problems, findings, impact and known fields of unsaved rules; options and schema default to those saved. */
export async function analyseRules(
  deps: Pick<Deps, 'store' | 'auth'>,
  type: DecisionTypeRow,
  request: Request,
): Promise<RulesAnalysis> {
  const { definition } = type.activeVersion;
  const compiled = compileRules(request.rules, {
    options: request.options ?? definition.options,
    reason_codes: request.reason_codes ?? definition.reason_codes,
  });
  const survey = surveyFields(type.piiFields);
  if (!compiled.ok) {
    for (const rows of examplesOf(deps, type)) {
      for (const row of rows) survey.add(row.input);
      await nextTurn();
    }
    return { problems: compiled.problems, findings: [], findings_left_out: 0, impact: null, fields: survey.fields() };
  }
  const saved = compileRules(definition.hard_rules, definition);
  const before = saved.ok ? saved.value : null;
  const examples = await measure(examplesOf(deps, type), compiled.value, before, survey.add);
  const decisions = await measure(loggedOf(deps, type), compiled.value, before);
  const fields = survey.fields();
  const inputSchema = request.input_schema === undefined ? definition.input_schema : request.input_schema;
  const findings = lintRules(compiled.value.file.rules, inputSchema, {
    fields: toKnownFields(fields),
    impact: examples.impact,
  });
  const shorten = (input: JsonObject) => shortText(deps.auth.redact(input, type.piiFields));
  return {
    problems: [],
    findings: wireFindings(compiled.value, request.rules, findings.slice(0, maxFindings)),
    findings_left_out: Math.max(0, findings.length - maxFindings),
    impact: impactOf(request.rules, examples, decisions, shorten),
    fields,
  };
}

function shortText(input: JsonObject): string {
  const characters = Array.from(JSON.stringify(input));
  return characters.length <= shownInput ? characters.join('') : `${characters.slice(0, shownInput).join('')}…`;
}

function* examplesOf({ store }: Pick<Deps, 'store'>, type: DecisionTypeRow): Generator<ImpactRow[]> {
  let before = Number.MAX_SAFE_INTEGER;
  for (let read = 0; read < maxExamples; read += chunkSize) {
    const rows = store.examples.chunk(type.id, before, chunkSize);
    yield rows;
    before = rows.at(-1)?.seq ?? 0;
    if (rows.length < chunkSize) return;
  }
}

function* loggedOf({ store }: Pick<Deps, 'store'>, type: DecisionTypeRow): Generator<ImpactRow[]> {
  let read = 0;
  for (const rows of store.logs.slices(type.seq, {}, chunkSize)) {
    yield rows.map((row) => ({ id: row.id, input: JSON.parse(row.inputJson) as JsonObject, decision: row.decision }));
    read += rows.length;
    if (read >= maxLoggedDecisions) return;
  }
}

async function measure(
  chunks: Chunks,
  rules: CompiledRules,
  saved: CompiledRules | null,
  see: (input: JsonObject) => void = () => {},
): Promise<Measured> {
  const counted = startImpact(rules);
  const compared = saved && startComparison(saved, rules);
  for (const rows of chunks) {
    for (const row of rows) see(row.input);
    counted.add(rows);
    compared?.add(rows);
    await nextTurn();
  }
  return { impact: counted.impact, change: compared?.change ?? null };
}

/** What the conditions and the schema alone tell. */
export function exactFindings(
  compiled: CompiledRules,
  given: readonly Rule[],
  inputSchema: JsonObject | null,
): RulesAnalysis['findings'] {
  return wireFindings(compiled, given, lintRules(compiled.file.rules, inputSchema).slice(0, maxFindings));
}

/** Findings as the wire tells them: the engine counts in evaluation order, a client in the order it sent. */
function wireFindings(
  compiled: CompiledRules,
  given: readonly Rule[],
  findings: readonly RuleFinding[],
): RulesAnalysis['findings'] {
  // Names are unique by now.
  const places = new Map(given.map(({ name }, place) => [name, place]));
  const placeOf = (index: number) => places.get(compiled.file.rules[index]?.name ?? '') ?? index;
  return findings.map(({ at, rule, other, shownBy, ...rest }) => ({
    ...rest,
    shown_by: shownBy,
    rule: placeOf(rule),
    other: other === null ? null : placeOf(other),
    range: at && utf16Range(compiled.file.rules[rule]?.condition ?? '', at),
  }));
}

function impactOf(
  given: readonly Rule[],
  examples: Measured,
  decisions: Measured,
  shorten: (input: JsonObject) => string,
): RulesAnalysis['impact'] {
  const logged = new Map(decisions.impact.rules.map((rule) => [rule.name, rule]));
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
          disagreeing: counts.disagreeing.map((row) => ({ ...row, input: shorten(row.input) })),
        },
        decisions: { matched: log?.matched ?? 0, changed: log?.disagrees ?? 0, errors: log?.errors ?? 0 },
      };
    }),
    against_saved:
      examples.change && decisions.change ? { examples: examples.change, decisions: decisions.change } : null,
  };
}
