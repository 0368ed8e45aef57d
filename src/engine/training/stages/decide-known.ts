/** Decides known rows by a policy as it is packed: how long that takes, and whether the figures hold of it. */
import { readClassifierChoice } from '../../decide/compose-decision.ts';
import type { Decider } from '../../decide/golden.ts';
import { argmax } from '../../numeric.ts';
import { compareWays, type Outcome } from '../../units/paired-test.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import type { Classified, Evaluated, Prepared, Run } from './state.ts';

/** Rows that are decided, and those of them that are timed: as many as are decided where an encoder reads each. */
const maxRows = 1_000;
const maxTimed = 100;
/** The chance of calling a policy faulty that is not. */
const faultLevel = 1e-6;

type State = Run &
  Pick<Prepared, 'trainRows' | 'testRows' | 'measuredRows' | 'presentOptions' | 'sharing'> &
  Pick<Classified, 'judged'> &
  Pick<Evaluated, 'evaluation'>;

/** A row and whether a model that had not seen it was right; null where that is not comparable. */
type Known = { row: LabelledRow; expected: string; wasRight: boolean | null };

/**
 * Decides up to 1,000 rows on which models that had not seen them were measured or cross-validated, and gives the
 * milliseconds of up to 100. The policy has learned from most of them, so it is right at least as often: rejects where
 * it certainly is not, as it then is another than what was chosen and measured.
 */
export async function decideKnown(decider: Decider, state: State, isEncoded: boolean): Promise<number[]> {
  const { ports, progress } = state;
  const known = listKnown(state);
  const step = Math.ceil(known.length / (isEncoded ? maxTimed : maxRows));
  const latenciesMs: number[] = [];
  const outcomes: Outcome[] = [];
  for (const { row, expected, wasRight } of known.filter((_, at) => at % step === 0)) {
    const startedAt = ports.now();
    const result = await decider.decide(row.input);
    latenciesMs.push(ports.now() - startedAt);
    progress.heartbeat();
    const choice = result.ok ? readClassifierChoice(result.decision) : null;
    if (choice === null || wasRight === null) continue;
    const { group = -1 } = row;
    const isRight = choice.option === expected;
    outcomes.push({ atRandom: wasRight, inWay: isRight, group: group < 0 ? undefined : group });
  }
  if (compareWays(outcomes, faultLevel).isLower) throw new Error(describeFault(outcomes));
  return latenciesMs.slice(0, maxTimed);
}

function listKnown(state: State): Known[] {
  const { request, evaluation, judged, trainRows, testRows, measuredRows, presentOptions, sharing } = state;
  const { options } = request.definition;
  const measured = measuredRows.map((row, i): Known => {
    const { expected = '', predicted, ruled = true } = evaluation.heldOut[i] ?? {};
    // A row whose label was changed was learned with another one than it is measured by.
    const isComparable = testRows.length > 0 && !ruled && row.relabelled === undefined;
    return { row, expected, wasRight: isComparable ? predicted === expected : null };
  });
  const width = presentOptions.length;
  const validated = (judged?.rows ?? []).map((row, i): Known => {
    const index = presentOptions[row.label] ?? -1;
    const best = argmax(judged?.logits.subarray(i * width, (i + 1) * width) ?? []);
    return { row, expected: options[index] ?? '', wasRight: sharing.includes(index) ? null : best === row.label };
  });
  const known = [...measured, ...validated];
  return known.length > 0 ? known : trainRows.map((row) => ({ row, expected: row.decision, wasRight: null }));
}

function describeFault(outcomes: readonly Outcome[]): string {
  const [before, now] = [outcomes.filter((each) => each.atRandom), outcomes.filter((each) => each.inWay)];
  return `The finished policy answers ${now.length} of ${outcomes.length} known examples correctly, though models that had not seen them were right on ${before.length}. This is a fault of the program, and the policy is not kept: please report it.`;
}
