import type { Metrics } from '../../domain/metrics.ts';
import { type Confusion, tabulateDecisions } from '../../measure/confusion.ts';
import { formatCount } from '../../numeric.ts';
import { describeHints, isHinted, isLabelled, listTaughtAlone } from '../data/hint-rows.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import type { ModelEvaluation } from '../evaluate/evaluate-model.ts';
import { checkLabels, type LabelSearch } from '../evaluate/label-checks.ts';
import { computeLearningCurve } from '../evaluate/learning-curve.ts';
import { predictOutOfFold } from '../evaluate/out-of-fold.ts';
import type { FollowUp } from '../request.ts';
import { measurePart } from './decide-units.ts';
import type { RefitState } from './evaluate.ts';
import type { Evaluated, Generated, Prepared } from './state.ts';

/** Two more fits of more rows, and one for each of more hints, cost more than the figures are worth. */
const [maxHintTrialRows, maxHintsTried] = [20_000, 10];

type State = RefitState &
  Pick<Generated, 'rules' | 'rare'> &
  Pick<Prepared, 'rows' | 'trainRows' | 'testRows' | 'split'> &
  Pick<Evaluated, 'evaluation' | 'finalModel'>;

/** Completes a report by learning curve, `otherWays` and label checks. Throws 'conflict' where it is cancelled. */
export function followUp(state: State, otherWays: Metrics['other_ways']): FollowUp {
  const { testRows, rare, evaluation, tuned } = state;
  const [rows, trainRows] = [state.rows.filter(isLabelled), state.trainRows.filter(isLabelled)];
  const hinted = state.trainRows.filter(isHinted);
  const learningCurve =
    // The parts would be read by an encoder that has learned from all of them.
    testRows.length === 0 || tuned !== null
      ? null
      : computeLearningCurve(
          trainRows,
          rare.options,
          { evaluation, learned: trainRows.length + (state.split.rule === 'drawn' ? testRows.length : 0) },
          (part) => measurePart(state, [...part, ...hinted], testRows),
          (measured) => decideWithRules(state, measured),
        );
  const { checks: labelChecks, expectedWrong: expected_wrong } = checkExampleLabels({ ...state, rows, trainRows });
  const suspects = labelChecks.filter(({ suspect }) => suspect).length;
  const sentence =
    suspects === 0
      ? `None of ${formatCount(rows.length)} labels is suspect.`
      : `${formatCount(suspects)} of ${formatCount(rows.length)} labels are suspect: models that had not seen the example find another option likelier. ${describeExpected(expected_wrong)} Look at them in the findings about the data.`;
  return {
    metrics: {
      learning_curve: learningCurve,
      other_ways: otherWays,
      hints: measureHints(state),
      follow_up: { state: 'done', sentence, expected_wrong },
    },
    labelChecks,
  };
}

/** Says what hints taught, and where rows are held out, how many more are right by it: two drafts are compared. */
function measureHints(state: State): Metrics['hints'] {
  const { request, trainRows, testRows, tuned } = state;
  const rows = trainRows.filter(isHinted).length;
  const labelled = trainRows.filter(isLabelled);
  const measured = testRows.filter(({ ruled }) => !ruled);
  const isKnown =
    new Set(labelled.map(({ label }) => label)).size === new Set(trainRows.map(({ label }) => label)).size;
  if (rows === 0 || measured.length === 0 || !isKnown || tuned !== null || trainRows.length > maxHintTrialRows) {
    return describeHints(rows);
  }
  const countRight = (part: readonly LabelledRow[]) =>
    measurePart(state, part, measured).heldOut.filter(({ expected, predicted }) => expected === predicted).length;
  const [right, right_without] = [countRight(trainRows), countRight(labelled)];
  const taught = listTaughtAlone(request.definition, trainRows.filter(isHinted));
  const each = (taught.length > maxHintsTried ? [] : taught).map(({ name, rows: alone }) => {
    const left = new Set<LabelledRow>(alone);
    return {
      name,
      rows: alone.length,
      right_without: alone.length === 0 ? right : countRight(trainRows.filter((row) => !left.has(row))),
    };
  });
  return describeHints(rows, { measured: measured.length, right, right_without, each });
}

function describeExpected(wrong: number | null): string {
  return wrong === null
    ? 'How many are wrong is not known, because these models err too often.'
    : `About ${formatCount(wrong)} are expected to be wrong.`;
}

/** Counts what rules and classifier decide of the held-out rows, thresholds aside. */
function decideWithRules({ request, rules, testRows }: State, { heldOut }: ModelEvaluation): Confusion {
  const decisions = heldOut.map(({ expected, predicted }, i) => {
    const ruled = rules.evaluate(testRows[i]?.input ?? {}, false).matched?.then;
    return { expected, decision: ruled ?? predicted };
  });
  return tabulateDecisions(decisions, request.definition.options);
}

/** Checks all labels by the chosen classifier; with a tuned encoder, by the linear one over the plain. */
function checkExampleLabels(state: State): LabelSearch {
  const { request, progress, rows, trainRows, presentOptions, sharing } = state;
  const { options } = request.definition;
  const outOfFold = predictOutOfFold({
    ...chooseJudge(state),
    rows,
    trainRows,
    presentOptions,
    sharing,
    optionCount: options.length,
    seed: request.seed,
    report: progress.heartbeat,
  });
  // Models that know options only as one say nothing about the label of any of them.
  const isKnown = (option: string) => !sharing.includes(options.indexOf(option));
  const { checks, expectedWrong } = checkLabels(rows, outOfFold, options);
  return { checks: checks.filter(({ label }) => isKnown(label)), expectedWrong };
}

function chooseJudge({
  texts,
  tuned,
  choice,
}: State): Pick<Parameters<typeof predictOutOfFold>[0], 'choice' | 'texts'> {
  if (tuned === null) return { choice, texts };
  const { plan, textUse, linear } = tuned.plain.choice;
  return { choice: { plan, textUse, linear: { ...linear, weight: 1 }, trees: null }, texts: tuned.plain.texts };
}
