/** The evaluate stage: what the measured model does on rows it has not seen. */

import type { FamiliarityEffect, Metrics } from '../../domain.ts';
import type { FamiliarityFile } from '../../features/familiarity.ts';
import { argmax } from '../../numeric.ts';
import { buildRows } from '../data/build-rows.ts';
import type { LabelledRow } from '../data/prepare.ts';
import type { ReadTexts } from '../data/texts.ts';
import type { HeldOutRow } from '../request.ts';
import type { FittedModel } from '../select/fit.ts';
import { scoreRows } from '../select/score.ts';
import { familiarityLoss, unfamiliarRows } from './familiarity.ts';
import { bootstrapMacroF1, wilsonInterval } from './intervals.ts';
import { evaluate } from './metrics.ts';
import { withProbe } from './probes.ts';
import { suggestThreshold } from './thresholds.ts';

type Figures =
  | 'accuracy'
  | 'macro_f1'
  | 'macro_precision'
  | 'macro_recall'
  | 'per_class'
  | 'confusion_matrix'
  | 'confusion_labels'
  | 'log_loss'
  | 'ece_before'
  | 'ece'
  | 'risk_coverage'
  | 'accuracy_interval'
  | 'macro_f1_interval'
  | 'log_loss_before'
  | 'suggested_thresholds'
  | 'familiarity';

export type Evaluated = {
  figures: Pick<Metrics, Figures>;
  /** Per row: the largest probability, and whether the row is unfamiliar. */
  confidences: number[];
  unfamiliar: boolean[];
  heldOut: HeldOutRow[];
};

/** Errors for which the report suggests thresholds. */
const targetErrors = [0.005, 0.01, 0.02, 0.05, 0.1] as const;

const mean = (values: readonly boolean[]) =>
  values.length === 0 ? null : values.filter(Boolean).length / values.length;
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

function effectOf(
  file: FamiliarityFile,
  flagged: readonly boolean[],
  correct: readonly boolean[],
  noticed: readonly boolean[],
): FamiliarityEffect {
  const checks = (['words', 'embedding', 'fields'] as const).filter((check) => file[check] !== null);
  const caught = noticed.filter(Boolean).length;
  const loss = mean(flagged) ?? 0;
  const sentences = [`${percent(loss)} of the held-out examples would be called unfamiliar.`];
  if (noticed.length > 0) {
    sentences.push(`Of ${noticed.length} texts about other things or of no sense, ${caught} would be noticed.`);
    if (caught < noticed.length / 2) {
      sentences.push('The examples are so varied that strange texts hardly differ from them: do not rely on this.');
    }
  } else if (checks.includes('fields')) {
    sentences.push('Only values outside the range of the examples are noticed, not unusual combinations of them.');
  }
  return {
    checks,
    target_loss: familiarityLoss,
    flagged: loss,
    accuracy_familiar: mean(correct.filter((_, i) => flagged[i] !== true)),
    accuracy_unfamiliar: mean(correct.filter((_, i) => flagged[i] === true)),
    probes_tried: noticed.length,
    probes_noticed: caught,
    sentence: sentences.join(' '),
  };
}

/**
 * Measures a model on rows: figures before and after calibration, and the effect of calling inputs unfamiliar. `probes`
 * are strange texts that were read like those of the rows; they are put into the rows' inputs.
 */
export function evaluateModel(given: {
  model: FittedModel;
  familiarity: FamiliarityFile | null;
  rows: readonly LabelledRow[];
  texts: ReadTexts;
  probes: readonly string[];
  options: readonly string[];
  seed: number;
}): Evaluated {
  const { model, familiarity, rows, texts, probes, options, seed } = given;
  const { plan } = model;
  const build = (some: readonly LabelledRow[]) =>
    buildRows(
      plan,
      some.map((row) => row.input),
      texts,
    );
  const built = build(rows);
  const predictionsOf = (scores: number[][]) =>
    rows.map((row, i) => ({ expected: options.indexOf(row.decision), probabilities: scores[i] ?? [] }));
  const probabilities = scoreRows(model.calibrated, built);
  const after = evaluate(predictionsOf(probabilities), options);
  const before = evaluate(predictionsOf(scoreRows(model.uncalibrated, built)), options);
  const heldOut = rows.map((row, i) => {
    const scores = probabilities[i] ?? [];
    const predicted = options[argmax(scores)] ?? '';
    return { example_id: row.id, expected: row.decision, predicted, probabilities: scores };
  });
  const unfamiliar = unfamiliarRows(familiarity, { plan, rows, built, texts });
  const probed = rows.length === 0 ? [] : probes.map((probe, i) => probeRow(rows, i, plan.text?.fields ?? [], probe));
  const textOnly = familiarity === null ? null : { ...familiarity, fields: null };
  const noticed = unfamiliarRows(textOnly, { plan, rows: probed, built: build(probed), texts });
  return {
    figures: {
      accuracy: after.accuracy,
      macro_f1: after.macroF1,
      macro_precision: after.macroPrecision,
      macro_recall: after.macroRecall,
      per_class: after.perClass,
      confusion_matrix: after.confusionMatrix,
      confusion_labels: [...options],
      accuracy_interval: wilsonInterval(heldOut.filter((row) => row.expected === row.predicted).length, heldOut.length),
      macro_f1_interval: bootstrapMacroF1(
        rows.map((row) => options.indexOf(row.decision)),
        probabilities.map(argmax),
        options.length,
        seed,
      ),
      log_loss_before: before.logLoss,
      log_loss: after.logLoss,
      ece_before: before.ece,
      ece: after.ece,
      risk_coverage: after.riskCoverage,
      suggested_thresholds: targetErrors.map((wished) => {
        const found = suggestThreshold(after.riskCoverage, wished, rows.length);
        const nothing = { threshold: null, coverage: 0, error: 0, error_interval: wilsonInterval(0, 0) };
        return { target_error: wished, ...(found ?? nothing) };
      }),
      familiarity:
        familiarity === null
          ? null
          : effectOf(
              familiarity,
              unfamiliar,
              heldOut.map((row) => row.expected === row.predicted),
              plan.text === null ? [] : noticed,
            ),
    },
    confidences: probabilities.map((row) => row[argmax(row)] ?? 0),
    unfamiliar,
    heldOut,
  };
}

function probeRow(
  rows: readonly LabelledRow[],
  index: number,
  fields: readonly (readonly string[])[],
  probe: string,
): LabelledRow {
  const row = rows[index % rows.length] as LabelledRow;
  return { ...row, input: withProbe(row.input, fields, probe) };
}
