import { nextTurn } from '../../../door/turns.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { compileReadings } from '../../../engine/readings/readings.ts';
import { compileRules } from '../../../engine/rules/compile.ts';
import { type ProposalRow, proposeRules } from '../../../engine/rules/discovery/propose-rules.ts';
import type { RuleProposals } from '../../../engine/rules/results.ts';
import { analysisLimits } from '../../contract/types/rules.ts';
import type { Foundation } from '../../foundation.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';

/** Small enough that calls for decisions never wait long. */
const chunkSize = 100;

/** Searches the newest examples for rules of at least `minPrecision` (0 to 1); none of personal fields. */
export async function proposeRulesFor(
  deps: Foundation,
  type: DecisionTypeRecord,
  minPrecision: number,
): Promise<RuleProposals> {
  const { definition } = type.activeVersion;
  const saved = compileRules(definition.hard_rules, definition);
  if (!saved.ok) {
    throw new WorkbenchError(
      'conflict',
      'The saved rules are not valid any more, so it is not known what they decide. Correct them on the Rules page first.',
    );
  }
  const read = compileReadings(definition.readings);
  const rows: ProposalRow[] = [];
  for (const examples of deps.store.examples.slices(type.id, chunkSize)) {
    for (const { id, input, decision } of examples) rows.push({ id, input: read(input).input, decision });
    if (rows.length >= analysisLimits.maxExamples) break;
    await nextTurn();
  }
  const search = proposeRules(rows, {
    options: definition.options,
    saved: saved.value,
    piiFields: type.piiFields,
    minPrecision,
  });
  for (;;) {
    const step = search.next();
    if (step.done) return step.value;
    await nextTurn();
  }
}
