/** The figures of the chosen classifier where examples are held out in other ways than the request says. */
import type { Metrics } from '../../domain/metrics.ts';
import { atRandom } from '../../domain/training.ts';
import { measureRows } from '../../measure/whole-decision.ts';
import { isHinted, isLabelled } from '../data/hint-rows.ts';
import type { LabelledRow } from '../data/labelled-rows.ts';
import { evaluateModel, type ModelEvaluation } from '../evaluate/evaluate-model.ts';
import { measureWay } from '../evaluate/other-ways.ts';
import { type RefitState, refit } from './evaluate.ts';
import type { DecidedRun, Evaluated, Prepared } from './state.ts';

type State = RefitState &
  Pick<DecidedRun, 'triedWays' | 'isWayFound'> &
  Pick<Prepared, 'rows' | 'trainRows' | 'testRows' | 'split'> &
  Pick<Evaluated, 'evaluation'>;

/** Whether somebody chose which rows are held out, so that their figure never stands alone. */
export const isChosen = (rule: NonNullable<Metrics['split']>['rule']): boolean =>
  rule === 'test_rows' || rule === 'column';

/** Whether the figure of rows at random is to be measured beside that of the rows that were held out. */
export const isBesideRandom = ({ request, split, isWayFound }: State): boolean =>
  isChosen(split.rule) || (request.config.split.by !== 'random' && !isWayFound);

/** Measures the classifier on rows held out at random as well; null once tuned. Throws 'conflict' where cancelled. */
export function measureOtherWays(state: State): Metrics['other_ways'] {
  const { request, testRows, evaluation, tuned, split } = state;
  const [rows, hinted] = [state.rows.filter(isLabelled), state.trainRows.filter(isHinted)];
  const own = request.config.split;
  // The encoder would have learned from the rows that are held out then.
  if (!isBesideRandom(state)) return state.triedWays;
  if (testRows.length === 0 || tuned !== null) return null;
  const measured = evaluation.heldOut
    .map((row, i) => ({ ...row, ...evaluation.groups[i] }))
    .filter((_, i) => (testRows[i]?.label ?? -1) >= 0 && testRows[i]?.ruled !== true);
  const accuracy = measureRows(measured, ({ expected, predicted }) => expected === predicted);
  const { identifying = [] } = request;
  const known = { split: own, isMarked: split.rule === 'test_rows', accuracy, identifying };
  const measure = (train: readonly LabelledRow[], test: readonly LabelledRow[]) =>
    measurePart(state, [...train, ...hinted], test).heldOut.map(({ predicted }) => predicted);
  return [measureWay(rows, atRandom, known, measure) ?? []].flat();
}

/** The ways of a policy whose text model was tuned afterwards from the same rows: measured before, and said so. */
export function keepOtherWays(before: Metrics['other_ways']): Metrics['other_ways'] {
  const say = (sentence: string) =>
    `Before its text model was tuned: ${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`;
  return before?.map((way) => ({ ...way, sentence: say(way.sentence) })) ?? null;
}

/** Fits the choice on a part of the rows as a draft, and measures it on others. */
export function measurePart(
  state: RefitState,
  part: readonly LabelledRow[],
  testRows: readonly LabelledRow[],
): ModelEvaluation {
  const { request, progress, texts, sharing } = state;
  const model = refit(state, part, 'draft', progress.heartbeat);
  const { options } = request.definition;
  const { identifying = [] } = request;
  const { split } = request.config;
  const nothing = { familiarity: null, near: null, probes: [], scores: null, takenOut: [] };
  return evaluateModel({
    model,
    ...nothing,
    rows: testRows,
    identifying,
    split,
    texts,
    options,
    sharing,
    seed: request.seed,
  });
}
