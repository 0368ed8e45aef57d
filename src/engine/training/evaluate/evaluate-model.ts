/** Evaluates a fitted model on rows that it has not seen. */
import type { FamiliarityEffect } from '../../domain/metrics.ts';
import type { SplitWay } from '../../domain/training.ts';
import { checkNames, type FamiliarityFile } from '../../features/familiarity.ts';
import type { EarlierAnswer } from '../../findings/taken-out.ts';
import { measureRows, measureShare } from '../../measure/whole-decision.ts';
import type { MeasuredShare } from '../../measured.ts';
import { argmax, formatRange, formatShare } from '../../numeric.ts';
import { deriveSeed, hashString, randomStreams } from '../../random.ts';
import { groupMeasured } from '../../units/hold-out.ts';
import { buildFeatureRows } from '../data/feature-rows.ts';
import type { EncodedTexts, LabelledRow } from '../data/labelled-rows.ts';
import type { FittedModel } from '../select/fit-choice.ts';
import { noticeProbes } from './choose-checks.ts';
import { familiarityLoss, findUnfamiliarRows } from './familiarity.ts';
import { bootstrapMacroF1 } from './macro-f1-interval.ts';
import { type Evaluation, evaluatePredictions } from './metrics.ts';
import type { RowScores } from './score-in-turn.ts';
import { scoreRows } from './score-rows.ts';

export type ModelEvaluation = ReturnType<typeof evaluateModel>;

type EvaluationParams = {
  model: FittedModel;
  /** Null where nothing is checked. */
  familiarity: FamiliarityFile | null;
  /** How well the checks notice options that were left out of learning; null where that was not tried. */
  near: MeasuredShare | null;
  rows: readonly LabelledRow[];
  /** Fields that only tell rows apart. */
  identifying: readonly (readonly string[])[];
  /** How they were held out. */
  split: SplitWay;
  /** Their probabilities where others than the model's are measured; null: the model's. */
  scores: RowScores | null;
  /** Answers of earlier models to rows that were taken out: they count in every figure. */
  takenOut: readonly EarlierAnswer[];
  texts: EncodedTexts;
  /** Texts about other things, which are put into the inputs of the rows; none to leave the trial out. */
  probes: readonly string[];
  options: readonly string[];
  /** Indices of options that were learned as one: the model never chooses them. */
  sharing: readonly number[];
  seed: number;
};

/** Fewer rows give a calibration error that is mostly noise. */
const minRowsForEce = 200;

/** Measures a model before and after calibration, with what unfamiliarity does; no figure counts ruled rows. */
export function evaluateModel(params: EvaluationParams) {
  const { model, familiarity, rows, texts, options, sharing, seed } = params;
  const { plan } = model;
  const inputs = rows.map((row) => row.input);
  const built = buildFeatureRows(plan, inputs, texts);
  const own = <T>(values: readonly T[]): T[] => values.filter((_, i) => !rows[i]?.ruled);
  const ownRows = own(rows);
  const expected = ownRows.map((row) => options.indexOf(row.decision));
  const groups = groupMeasured(rows, params.identifying, params.split);
  const ownGroups = own(groups);
  const score = (kind: keyof RowScores) =>
    (params.scores?.[kind] ?? scoreRows(model[kind], built)).map((row) =>
      row.map((each, option) => (sharing.includes(option) ? 0 : each)),
    );
  const probabilities = score('calibrated');
  const answered = params.takenOut.map((answer) => toPrediction(answer, options));
  const evaluate = (scores: readonly number[][]) => {
    const ownScores = own(scores);
    const predictions = ownRows.map(({ label }, i) => ({
      expected: expected[i] ?? -1,
      probabilities: ownScores[i] ?? [],
      isSetAside: label < 0,
      ...ownGroups[i],
    }));
    return evaluatePredictions([...predictions, ...answered], options);
  };
  const after = evaluate(probabilities);
  const before = evaluate(score('uncalibrated'));
  const predicted = probabilities.map(argmax);
  const unfamiliar = findUnfamiliarRows(familiarity, { plan, rows, built, texts });
  const heldOut = rows.map((row, i) => ({
    example_id: row.id,
    expected: row.decision,
    predicted: options[predicted[i] ?? 0] ?? '',
    probabilities: probabilities[i] ?? [],
    unfamiliar: unfamiliar[i] === true,
    ruled: row.ruled === true,
    // Hashes the stored input: masks are blanked for the classifier alone.
    input_hash: row.inputHash ?? hashString(row.content),
  }));
  const ownOutcomes = own(heldOut.map((row, i) => ({ ...row, ...groups[i] })));
  const isRight = (row: { expected: string; predicted: string }) => row.expected === row.predicted;
  const ofRows = ownOutcomes.map(isRight);
  const takenOut = params.takenOut.map((answer) => ({ ...answer, group: undefined }));
  const { of, low, high } = measureRows([...ownOutcomes, ...takenOut], isRight);
  return {
    figures: {
      ...toFigures(after, options),
      ece: of < minRowsForEce ? null : after.ece,
      log_loss_before: before.logLoss,
      ece_before: of < minRowsForEce ? null : before.ece,
      accuracy_interval: { low, high },
      macro_f1_interval: bootstrapMacroF1(
        [...expected, ...answered.map((answer) => answer.expected)],
        [...own(predicted), ...answered.map(({ probabilities }) => argmax(probabilities))],
        options.length,
        deriveSeed(randomStreams.macroF1Bootstrap, seed),
        ownGroups,
      ),
      familiarity:
        familiarity === null
          ? null
          : describeFamiliarity(
              familiarity,
              own(unfamiliar),
              ofRows,
              params.near,
              noticeProbes({ plan, rows: ownRows, texts }, params.probes, familiarity),
            ),
    },
    heldOut,
    /** The groups of the rows, as `groupMeasured` gives them. */
    groups,
  };
}

/** An answer as probabilities. For an option that is gone, all of the probability goes to one that is wrong. */
function toPrediction({ expected, predicted, confidence }: EarlierAnswer, options: readonly string[]) {
  const right = options.indexOf(expected);
  const known = options.indexOf(predicted);
  const chosen = known < 0 ? (right + 1) % options.length : known;
  const rest = (1 - confidence) / Math.max(1, options.length - 1);
  return { expected: right, probabilities: options.map((_, option) => (option === chosen ? confidence : rest)) };
}

function toFigures(evaluation: Evaluation, options: readonly string[]) {
  return {
    accuracy: evaluation.accuracy,
    macro_f1: evaluation.macroF1,
    macro_precision: evaluation.macroPrecision,
    macro_recall: evaluation.macroRecall,
    per_class: evaluation.perClass,
    confusion_matrix: evaluation.confusionMatrix,
    confusion_labels: [...options],
    log_loss: evaluation.logLoss,
    reliability: evaluation.reliability,
    risk_coverage: evaluation.riskCoverage,
  };
}

const computeShare = (values: readonly boolean[]) =>
  values.length === 0 ? null : values.filter(Boolean).length / values.length;

function describeFamiliarity(
  file: FamiliarityFile,
  unfamiliar: readonly boolean[],
  correct: readonly boolean[],
  near: MeasuredShare | null,
  noticed: readonly boolean[],
): FamiliarityEffect {
  const checks = checkNames.filter((check) => (file[check] ?? null) !== null);
  const noticedCount = noticed.filter(Boolean).length;
  const far = noticed.length === 0 ? null : measureShare(noticedCount, noticed.length);
  const flagged = computeShare(unfamiliar) ?? 0;
  const sentences = [`${formatShare(flagged)} of the held-out examples would be called unfamiliar.`];
  if (far !== null) {
    sentences.push(
      `Of ${noticed.length} texts about other things or without meaning, ${noticedCount} would be noticed (${formatRange(far)} of such texts).`,
    );
    if (noticedCount < noticed.length / 2) {
      sentences.push(
        'The examples are so varied that unrelated texts hardly differ from them: do not rely on this check.',
      );
    }
  } else if (checks.includes('fields')) {
    sentences.push('Only values outside the range of the examples are noticed, not unusual combinations of them.');
  }
  if (near !== null) {
    sentences.push(
      `Of examples whose option was left out of learning, ${formatShare(near.share ?? 0)} (${formatRange(near)}) are noticed: so much may be expected of questions about something new in the same domain.`,
    );
  }
  return {
    checks,
    target_loss: familiarityLoss,
    flagged,
    accuracy_familiar: computeShare(correct.filter((_, i) => unfamiliar[i] !== true)),
    accuracy_unfamiliar: computeShare(correct.filter((_, i) => unfamiliar[i] === true)),
    probes_tried: noticed.length,
    probes_noticed: noticedCount,
    near,
    far,
    sentence: sentences.join(' '),
  };
}
