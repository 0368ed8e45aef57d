/** Measures what unsaved rules would do on the examples and the logged inputs of a type. */
import type { Definition, NamedLists, Rule } from '../../../engine/domain/definition.ts';
import { readPath } from '../../../engine/features/values.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { isMask, isPiiField } from '../../../engine/pii.ts';
import { compileReadings } from '../../../engine/readings/readings.ts';
import {
  type Impact,
  type ImpactRow,
  type RuleImpact,
  startComparison,
  startImpact,
} from '../../../engine/rules/analysis/impact.ts';
import { lintRules } from '../../../engine/rules/analysis/lint.ts';
import { surveyFields, toKnownFields } from '../../../engine/rules/analysis/survey.ts';
import { compileHints, compileRules, compileSoundRules } from '../../../engine/rules/compile.ts';
import type { RulesChange } from '../../../engine/rules/results.ts';
import type { CompiledRules } from '../../../engine/rules/rules-file.ts';
import { listChildren, type RuleNode } from '../../../engine/rules/tree.ts';
import { toFieldPath } from '../../../engine/rules/types.ts';
import { analysisLimits, type RulesAnalysis } from '../../contract/types/rules.ts';
import type { JsonRow } from '../../store/examples/examples.ts';
import { toWireFindings } from './rules-findings.ts';

const { maxFindings } = analysisLimits;

export type AnalysisRequest = {
  rules: Rule[];
  options?: string[] | undefined;
  reason_codes?: string[] | undefined;
  lists?: NamedLists | undefined;
  input_schema?: JsonObject | null | undefined;
};
type AnalysisOrder = {
  request: AnalysisRequest;
  /** The saved definition: defaults for the request, the rules to compare with, and how stored inputs are read. */
  saved: Pick<Definition, 'hard_rules' | 'options' | 'reason_codes' | 'lists' | 'input_schema' | 'readings'>;
  piiFields: readonly string[];
  examples: readonly JsonRow[];
  decisions: readonly JsonRow[];
};

type WireRule = RulesAnalysis['impact']['rules'][number];
/** A rule on the wire, with the whole inputs of the examples that are listed. */
type MeasuredRule = Omit<WireRule, 'examples'> & {
  examples: Omit<WireRule['examples'], 'disagreeing'> & Pick<RuleImpact, 'disagreeing'>;
};
/** The analysis as the wire has it, except that inputs are whole and nothing in them is redacted. */
type MeasuredAnalysis = Omit<RulesAnalysis, 'impact'> & {
  impact: Omit<RulesAnalysis['impact'], 'rules' | 'examples'> & {
    rules: MeasuredRule[];
    examples: Omit<RulesAnalysis['impact']['examples'], 'undecided_rows'> & {
      undecided_rows: Impact['undecidedRows'];
    };
  };
};
type Measured = { impact: Impact; change: RulesChange | null };

/** Returns problems of unsaved rules, findings and impact of those without one, and known fields. */
export function analyseRules({ request, saved, piiFields, examples, decisions }: AnalysisOrder): MeasuredAnalysis {
  const vocabulary = {
    options: request.options ?? saved.options,
    reason_codes: request.reason_codes ?? saved.reason_codes,
    lists: request.lists ?? saved.lists,
  };
  const { problems, sound } = compileSoundRules(request.rules, vocabulary);
  const hints = startImpact(compileHints(request.rules, vocabulary), 'each');
  const survey = surveyFields(piiFields);
  const savedRules = compileRules(saved.hard_rules, saved);
  // Rules with problems cannot be saved, so there is nothing that saving would change.
  const before = savedRules.ok && problems.length === 0 ? savedRules.value : null;
  const read = compileReadings(saved.readings);
  const readRows = (rows: readonly JsonRow[]) => parseRows(rows, (input) => read(input).input);
  const onExamples = measure(readRows(examples), sound, before, (row) => {
    survey.add(row.input, row.decision);
    hints.add(row);
  });
  const onDecisions = measure(readRows(decisions), sound, before);
  const fields = survey.fields();
  const inputSchema = request.input_schema === undefined ? saved.input_schema : request.input_schema;
  const findings = lintRules(sound.file.rules, inputSchema, {
    fields: toKnownFields(fields),
    impact: onExamples.impact,
  });
  return {
    problems,
    findings: toWireFindings(sound, request.rules, findings.slice(0, maxFindings)),
    findings_left_out: Math.max(0, findings.length - maxFindings),
    impact: toWireImpact(
      request.rules,
      onExamples,
      hints.impact,
      onDecisions,
      countMasked(sound, piiFields, readRows(decisions)),
    ),
    fields,
    days: survey.days(),
  };
}

/** Parses rows one by one, so that few of them are there at once. */
function* parseRows(rows: readonly JsonRow[], read: (input: JsonObject) => JsonObject): Generator<ImpactRow> {
  for (const { id, input, decision } of rows) yield { id, input: read(JSON.parse(input)), decision };
}

function measure(
  rows: Iterable<ImpactRow>,
  rules: CompiledRules,
  saved: CompiledRules | null,
  visit: (row: ImpactRow) => void = () => {},
): Measured {
  const counted = startImpact(rules);
  const compared = saved && startComparison(saved, rules);
  for (const row of rows) {
    visit(row);
    counted.add(row);
    compared?.add(row);
  }
  return { impact: counted.impact, change: compared?.change ?? null };
}

/** Lists the paths that a condition reads and that lie at a dotted path of `piiFields` or below it, each once. */
function listPersonalPaths(ast: RuleNode, piiFields: readonly string[]): string[][] {
  const path = toFieldPath(ast);
  if (path !== null) return isPiiField(path, piiFields) ? [path] : [];
  const paths = listChildren(ast).flatMap((child) => listPersonalPaths(child, piiFields));
  return [...new Map(paths.map((each) => [JSON.stringify(each), each])).values()];
}

/** Counts for each rule, by its name, the logged inputs in which a personal field that it reads is masked. */
function countMasked(
  { file }: CompiledRules,
  piiFields: readonly string[],
  decisions: Iterable<ImpactRow>,
): ReadonlyMap<string, number> {
  const reading = file.rules
    .map(({ name, ast }) => ({ name, paths: listPersonalPaths(ast, piiFields) }))
    .filter(({ paths }) => paths.length > 0);
  const counts = new Map<string, number>();
  if (reading.length === 0) return counts;
  for (const { input } of decisions) {
    for (const { name, paths } of reading) {
      if (paths.some((path) => isMask(readPath(input, path)))) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

function toWireImpact(
  sentRules: readonly Rule[],
  examples: Measured,
  hints: Impact,
  decisions: Measured,
  masked: ReadonlyMap<string, number>,
): MeasuredAnalysis['impact'] {
  const logged = new Map(decisions.impact.rules.map((rule) => [rule.name, rule]));
  return {
    examples: {
      rows: examples.impact.rows,
      undecided: examples.impact.undecided,
      undecided_rows: examples.impact.undecidedRows,
    },
    decisions: { rows: decisions.impact.rows, undecided: decisions.impact.undecided },
    rules: [...examples.impact.rules, ...hints.rules].map(({ name, ...counts }) => {
      const labelled = counts.agrees + counts.disagrees;
      const log = logged.get(name);
      return {
        rule: sentRules.findIndex((rule) => rule.name === name),
        name,
        examples: {
          ...counts,
          agreement: labelled === 0 ? null : counts.agrees / labelled,
        },
        decisions: {
          matched: log?.matched ?? 0,
          changed: log?.disagrees ?? 0,
          errors: log?.errors ?? 0,
          masked: masked.get(name) ?? 0,
        },
      };
    }),
    against_saved:
      examples.change && decisions.change ? { examples: examples.change, decisions: decisions.change } : null,
  };
}
