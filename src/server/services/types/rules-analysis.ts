import { nextTurn } from '../../../door/turns.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { analysisLimits, type RulesAnalysis } from '../../contract/types/rules.ts';
import type { Foundation } from '../../foundation.ts';
import type { AnalysisRequest } from '../../preparation/rules/analyse-rules.ts';
import type { JsonRow } from '../../store/examples/examples.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';

const { maxExamples, maxLoggedDecisions } = analysisLimits;
const maxShownCharacters = 160;
/** Small enough that calls for decisions never wait long, also where each input is a megabyte. */
const chunkSize = 10;
/** Characters of JSON that the examples, and the logged inputs, are looked at for: the newest. */
const maxCharacters = 16 * 1024 * 1024;

/** Problems, findings, impact and fields of unsaved rules, beside what is saved; personal fields are redacted. */
export async function analyseRules(
  deps: Foundation,
  callerId: string,
  type: DecisionTypeRecord,
  request: AnalysisRequest,
): Promise<RulesAnalysis> {
  const { definition } = type.activeVersion;
  const { impact, ...analysis } = await deps.preparation.runAdmitted(callerId, 'analyseRules', {
    request,
    saved: definition,
    piiFields: type.piiFields,
    examples: await readNewest(deps.store.examples.slicesWithJsonInput(type.id, chunkSize), maxExamples),
    decisions: await readNewest(deps.store.logs.slicesWithJsonInput(type.seq, {}, chunkSize), maxLoggedDecisions),
  });
  const show = <Row extends { input: JsonObject }>(row: Row) => ({
    ...row,
    input: toExcerpt(deps.auth.redact(row.input, type.piiFields)),
  });
  const rules = impact.rules.map((rule) => ({
    ...rule,
    examples: { ...rule.examples, disagreeing: rule.examples.disagreeing.map(show) },
  }));
  const shown = { ...impact.examples, undecided_rows: impact.examples.undecided_rows.map(show) };
  return { ...analysis, impact: { ...impact, examples: shown, rules } };
}

function toExcerpt(input: JsonObject): string {
  const characters = Array.from(JSON.stringify(input));
  return characters.length <= maxShownCharacters
    ? characters.join('')
    : `${characters.slice(0, maxShownCharacters).join('')}…`;
}

/** Reads the newest rows in turns of the event loop, up to a number and an extent. */
async function readNewest(slices: Iterable<JsonRow[]>, maxRows: number): Promise<JsonRow[]> {
  const rows: JsonRow[] = [];
  let characters = 0;
  for (const slice of slices) {
    for (const { id, input, decision } of slice) {
      rows.push({ id, input, decision });
      characters += input.length;
    }
    if (rows.length >= maxRows || characters >= maxCharacters) break;
    await nextTurn();
  }
  return rows;
}
