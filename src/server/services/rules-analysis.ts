/** Unsaved rules checked alone, and against what the type knows: its examples, and the inputs it has decided on. */
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
import { toUtf16Range } from '../../engine/rules/source.ts';
import type { Auth } from '../auth/auth.ts';
import { analysisLimits, type RulesAnalysis } from '../contract/rules.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { ExampleRecord } from '../store/examples.ts';
import type { Store } from '../store/store.ts';

const { maxExamples, maxLoggedDecisions, maxFindings } = analysisLimits;
/** Characters of an input that are shown beside a row. */
const maxShownCharacters = 160;
/** Small enough that calls for decisions never wait long. */
const chunkSize = 100;

type Deps = { store: Pick<Store, 'examples' | 'logs'>; auth: Pick<Auth, 'redact'> };

type Request = {
  rules: Rule[];
  options?: string[] | undefined;
  reason_codes?: string[] | undefined;
  input_schema?: JsonObject | null | undefined;
};
type Chunks = Iterable<ImpactRow[]>;
type Measured = { impact: Impact; change: RulesChange | null };

/**
 * Returns problems, findings, impact and known fields of unsaved rules, measured in turns of the event loop; options,
 * reason codes and schema default to those saved. Personal fields are redacted in the inputs that are shown.
 */
export async function analyseRules(deps: Deps, type: DecisionTypeRecord, request: Request): Promise<RulesAnalysis> {
  const { definition } = type.activeVersion;
  const compiled = compileRules(request.rules, {
    options: request.options ?? definition.options,
    reason_codes: request.reason_codes ?? definition.reason_codes,
  });
  const survey = surveyFields(type.piiFields);
  if (!compiled.ok) {
    for (const rows of readExamples(deps, type)) {
      for (const row of rows) survey.add(row.input);
      await nextTurn();
    }
    return { problems: compiled.problems, findings: [], findings_left_out: 0, impact: null, fields: survey.fields() };
  }
  const saved = compileRules(definition.hard_rules, definition);
  const before = saved.ok ? saved.value : null;
  const examples = await measure(readExamples(deps, type), compiled.value, before, survey.add);
  const decisions = await measure(readLogged(deps, type), compiled.value, before);
  const fields = survey.fields();
  const inputSchema = request.input_schema === undefined ? definition.input_schema : request.input_schema;
  const findings = lintRules(compiled.value.file.rules, inputSchema, {
    fields: toKnownFields(fields),
    impact: examples.impact,
  });
  const show = (input: JsonObject) => toExcerpt(deps.auth.redact(input, type.piiFields));
  return {
    problems: [],
    findings: toWireFindings(compiled.value, request.rules, findings.slice(0, maxFindings)),
    findings_left_out: Math.max(0, findings.length - maxFindings),
    impact: toWireImpact(request.rules, examples, decisions, show),
    fields,
  };
}

function toExcerpt(input: JsonObject): string {
  const characters = Array.from(JSON.stringify(input));
  return characters.length <= maxShownCharacters
    ? characters.join('')
    : `${characters.slice(0, maxShownCharacters).join('')}…`;
}

/** Reads the newest examples, as many as an analysis takes, a chunk at a time. */
export function* readExamples(
  { store }: { store: Pick<Store, 'examples'> },
  type: DecisionTypeRecord,
): Generator<ExampleRecord[]> {
  let read = 0;
  for (const examples of store.examples.slices(type.id, chunkSize)) {
    yield examples;
    read += examples.length;
    if (read >= maxExamples) return;
  }
}

/** Reads the newest logged decisions, a chunk at a time. */
function* readLogged({ store }: Deps, type: DecisionTypeRecord): Generator<ImpactRow[]> {
  let read = 0;
  for (const decisions of store.logs.slices(type.seq, {}, chunkSize)) {
    yield decisions;
    read += decisions.length;
    if (read >= maxLoggedDecisions) return;
  }
}

async function measure(
  chunks: Chunks,
  rules: CompiledRules,
  saved: CompiledRules | null,
  visit: (input: JsonObject) => void = () => {},
): Promise<Measured> {
  const counted = startImpact(rules);
  const compared = saved && startComparison(saved, rules);
  for (const rows of chunks) {
    for (const row of rows) visit(row.input);
    counted.add(rows);
    compared?.add(rows);
    await nextTurn();
  }
  return { impact: counted.impact, change: compared?.change ?? null };
}

/** Returns the problems of rules or, where there are none, what their conditions and the schema alone tell. */
export function checkRules(request: {
  rules: Rule[];
  options: string[];
  reason_codes: string[];
  input_schema: JsonObject | null;
}): { ok: boolean; problems: RulesAnalysis['problems']; findings: RulesAnalysis['findings'] } {
  const compiled = compileRules(request.rules, request);
  if (!compiled.ok) return { ok: false, problems: compiled.problems, findings: [] };
  const findings = lintRules(compiled.value.file.rules, request.input_schema).slice(0, maxFindings);
  return { ok: true, problems: [], findings: toWireFindings(compiled.value, request.rules, findings) };
}

/** Numbers the rules of findings in the order in which a client sent them; the engine counts in evaluation order. */
function toWireFindings(
  compiled: CompiledRules,
  sentRules: readonly Rule[],
  findings: readonly RuleFinding[],
): RulesAnalysis['findings'] {
  // Rules that compile have unique names.
  const places = new Map(sentRules.map(({ name }, place) => [name, place]));
  const toPlace = (index: number) => places.get(compiled.file.rules[index]?.name ?? '') ?? index;
  return findings.map(({ at, rule, other, shownBy, ...rest }) => ({
    ...rest,
    shown_by: shownBy,
    rule: toPlace(rule),
    other: other === null ? null : toPlace(other),
    range: at && toUtf16Range(compiled.file.rules[rule]?.condition ?? '', at),
  }));
}

function toWireImpact(
  sentRules: readonly Rule[],
  examples: Measured,
  decisions: Measured,
  show: (input: JsonObject) => string,
): RulesAnalysis['impact'] {
  const logged = new Map(decisions.impact.rules.map((rule) => [rule.name, rule]));
  return {
    examples: { rows: examples.impact.rows, undecided: examples.impact.undecided },
    decisions: { rows: decisions.impact.rows, undecided: decisions.impact.undecided },
    rules: examples.impact.rules.map(({ name, ...counts }) => {
      const labelled = counts.agrees + counts.disagrees;
      const log = logged.get(name);
      return {
        rule: sentRules.findIndex((rule) => rule.name === name),
        name,
        examples: {
          ...counts,
          agreement: labelled === 0 ? null : counts.agrees / labelled,
          disagreeing: counts.disagreeing.map((row) => ({ ...row, input: show(row.input) })),
        },
        decisions: { matched: log?.matched ?? 0, changed: log?.disagrees ?? 0, errors: log?.errors ?? 0 },
      };
    }),
    against_saved:
      examples.change && decisions.change ? { examples: examples.change, decisions: decisions.change } : null,
  };
}
