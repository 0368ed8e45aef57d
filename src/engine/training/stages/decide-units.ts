/** The first step of a training: whether figures of rows held out at random are those of new customers and times. */
import type { Metrics, OtherWay } from '../../domain/metrics.ts';
import { atRandom, type SplitWay } from '../../domain/training.ts';
import { compileFeatures } from '../../features/compile.ts';
import { listIdentifyingFields } from '../../features/identifying-fields.ts';
import { measureRows } from '../../measure/whole-decision.ts';
import { argmax, formatCount } from '../../numeric.ts';
import { hashNumber, hashString } from '../../random.ts';
import { findWays, type Way } from '../../units/find-ways.ts';
import { compilePlacement, findUnlearned, groupMeasured, placeUnits } from '../../units/hold-out.ts';
import { compareWays, type Outcome } from '../../units/paired-test.ts';
import { splitRows } from '../../units/sides.ts';
import { buildFeatureRows } from '../data/feature-rows.ts';
import { isHinted, isLabelled } from '../data/hint-rows.ts';
import { encodeTexts, type LabelledRow, prepareRows, toMeasured } from '../data/labelled-rows.ts';
import { evaluateModel, type ModelEvaluation } from '../evaluate/evaluate-model.ts';
import { describeRandom, describeTried, measureWay } from '../evaluate/other-ways.ts';
import { predictOutOfFold } from '../evaluate/out-of-fold.ts';
import { scoreRows } from '../evaluate/score-rows.ts';
import { chooseByDefaults } from '../select/choose-by-defaults.ts';
import { fitChoice } from '../select/fit-choice.ts';
import { type RefitState, refit } from './evaluate.ts';
import { inferFieldPlan } from './features.ts';
import type { DecidedRun, Evaluated, Prepared, Run } from './state.ts';

/** Rows on which ways are compared: gaps that matter are seen on so many. */
const maxCompared = 5_000;
const minCompared = 100;
/** The fewest rows of the newest fifth that are compared. */
const minNewest = 30;

/** How rows are to be held out, whether the rows decided it, and what else was tried. */
export type DecidedUnits = { split: SplitWay; isFound: boolean; tried: OtherWay[] };

/**
 * Tries the ways in which rows may hang together on the same rows twice: learned with the others of their group, or
 * older and newer ones, and without. The lowest that is certainly lower is how rows are held out, as what is said of
 * rows at random then is of these customers, times or wordings alone; not one that leaves too few rows of an option to
 * learn from, as the training would be refused. What a request says, marks and drawn rows decide before that. Rejects
 * as a training does.
 */
export async function decideUnits({ request, ports, progress }: Run): Promise<DecidedUnits> {
  const { config, definition, piiFields = [] } = request;
  const asAsked: DecidedUnits = { split: config.split, isFound: false, tried: [] };
  if (config.split.by !== 'random' || request.isAnswered) return asAsked;
  const { options, readings, input_schema } = definition;
  const { identifying = listIdentifyingFields(request.examples.map(({ input }) => input)) } = request;
  const { rows: all, presentOptions } = prepareRows(request.examples, options, { piiFields, readings, identifying });
  if (splitRows(all, 'random', request.open).rule !== 'hash') return asAsked;
  const own = all.filter((row) => row.source === 'user' && row.label >= 0 && isLabelled(row)).map(toMeasured);
  const cases = takeCases(own);
  if (cases.length < minCompared) return asAsked;
  const ways = findWays(
    cases.map(({ input }) => input),
    cases.map(({ label }) => label),
  );
  if (ways.length === 0) return asAsked;
  const rows = takePart(own, ways);
  const plan = inferFieldPlan(rows, input_schema, piiFields);
  const features = compileFeatures(plan);
  const inTexts = plan.text === null ? [] : rows.map(({ input }) => features.joinText(input).text);
  const texts = await encodeTexts(inTexts, ports.tokenizer, null, progress.heartbeat);
  const [optionCount, tick, seed] = [presentOptions.length, progress.heartbeat, request.seed];
  const choice = chooseByDefaults({ plan, rows, optionCount, texts, encoder: null, seed, tick });
  const fit = { choice, presentOptions, optionCount: options.length, texts, seed, report: tick };
  const isRight = (row: LabelledRow | undefined, probabilities: readonly number[]) =>
    row !== undefined && presentOptions[row.label] === argmax(probabilities);
  const judge = (placed: readonly LabelledRow[]) =>
    predictOutOfFold({ ...fit, rows: placed, trainRows: placed, maxDeals: 1 }).map(
      (probabilities, i) => probabilities && isRight(placed[i], probabilities),
    );
  /** Learned on the older rows, whether the newest are right; null for all others. */
  const judgeNewest = (placed: readonly LabelledRow[]) => {
    const { train, test, rule } = splitRows(placed, 'date');
    const right: (boolean | null)[] = placed.map(() => null);
    if (rule !== 'date' || test.length < minNewest) return right;
    const learned = train.flatMap((at) => placed[at] ?? []);
    const model = fitChoice({ ...fit, rows: learned, starts: {}, tunedHead: null, precision: 'draft' });
    const newest = test.flatMap((at) => placed[at] ?? []);
    const built = buildFeatureRows(
      model.plan,
      newest.map(({ input }) => input),
      texts,
    );
    scoreRows(model.calibrated, built).forEach((each, i) => {
      right[test[i] ?? -1] = isRight(newest[i], each);
    });
    return right;
  };
  progress.report('generate', 0, `Trying what one case is on ${formatCount(rows.length)} examples`);
  const atRandom = judge(rows);
  const tried = ways.flatMap((way) => {
    const place = compilePlacement(way.split);
    const { rows: placed } = placeUnits(
      rows.map(({ unit: _, group: __, ...row }) => ({ ...row, ...place(row.input) })),
      identifying,
    );
    if (!leavesEnough(placed, way.split)) return [];
    const inWay = way.split.by === 'date' ? judgeNewest(placed) : judge(placed);
    const judged = placed.flatMap((row, i) => {
      const [random, other] = [atRandom[i] ?? null, inWay[i] ?? null];
      return random === null || other === null ? [] : [{ row, atRandom: random, inWay: other }];
    });
    const groups = groupMeasured(
      judged.map(({ row }) => row),
      identifying,
      way.split,
    );
    const outcomes = judged.map(({ row: _, ...outcome }, i): Outcome => ({ ...outcome, ...groups[i] }));
    return [{ way, placed, outcomes, ...compareWays(outcomes, way.level / ways.length) }];
  });
  const lower = tried.filter(({ isLower }) => isLower).sort((a, b) => a.share - b.share);
  const [lowest] = lower;
  const sentences = (lowest === undefined ? tried : [lowest]).map(({ way: { split }, placed, outcomes }) => {
    const inWay = measureRows(outcomes, (row) => row.inWay);
    const random = measureRows(outcomes, (row) => row.atRandom);
    return (lowest === undefined ? describeTried : describeRandom)({ split, rows: placed }, inWay, random);
  });
  return { split: lowest?.way.split ?? config.split, isFound: lowest !== undefined, tried: sentences };
}

/** Whether a way leaves enough rows to learn from of each label that has them. */
function leavesEnough(rows: readonly LabelledRow[], { by }: SplitWay): boolean {
  const labels = [...new Set(rows.map(({ label }) => label))].filter(
    (label) => findUnlearned([label], rows) === undefined,
  );
  const train = splitRows(rows, by).train.flatMap((at) => rows[at] ?? []);
  return findUnlearned(labels, train) === undefined;
}

/** One row of each case. */
const takeCases = (rows: readonly LabelledRow[]): LabelledRow[] => {
  const known = new Set<number>();
  return rows.filter(({ group = -1 }) => {
    if (group < 0) return true;
    const isNew = !known.has(group);
    known.add(group);
    return isNew;
  });
};

/** Some of many rows: whole groups of the first way, alike in every run. */
function takePart(rows: readonly LabelledRow[], [first]: readonly Way[]): readonly LabelledRow[] {
  const every = Math.ceil(rows.length / maxCompared);
  if (every <= 1) return rows;
  const place = compilePlacement(first?.split ?? { by: 'random', field: null });
  return rows.filter((row) => hashNumber(hashString(place(row.input).unit ?? row.content), 1) % every === 0);
}

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
