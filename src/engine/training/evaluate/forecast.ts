/** Forecast of the gain by more labels, from the errors of models that learned from parts of those there are. */
import type { LearningCurve } from '../../domain/metrics.ts';

/** A model of the curve: the labels it learned from, and on which of the measured rows it is wrong. */
export type CurveModel = { learned: number; wrong: readonly boolean[] };

const moreLabels = 100;
/** Labels and measured rows without which a forecast is noise. */
const minLearned = 60;
const minMeasured = 20;
const normal95 = 1.96;
/** The curve may bend otherwise than it is drawn: with it, 62 of 64 intervals held what 100 labels brought. */
const misfit = 0.02;

const toPoints = (share: number) => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`;

/**
 * Forecasts the gain by 100 more labels from errors that fall as a + b/√labels, by least squares over models that
 * learned from ever more of the labels, the last from all. The interval is that of the slope over the rows, each of
 * which all models answered. Null of fewer than 60 labels, 20 measured rows or two models.
 */
export function forecastGain(models: readonly CurveModel[]): LearningCurve['forecast'] {
  const last = models.at(-1);
  const rows = last?.wrong.length ?? 0;
  if (last === undefined || models.length < 2 || last.learned < minLearned || rows < minMeasured) return null;
  const scales = models.map(({ learned }) => learned ** -0.5);
  const mean = scales.reduce((sum, scale) => sum + scale, 0) / scales.length;
  const spread = scales.reduce((sum, scale) => sum + (scale - mean) ** 2, 0);
  const step = last.learned ** -0.5 - (last.learned + moreLabels) ** -0.5;
  const gains = last.wrong.map((_, row) =>
    models.reduce((sum, { wrong }, k) => sum + (((scales[k] ?? 0) - mean) / spread) * step * Number(wrong[row]), 0),
  );
  const gain = gains.reduce((sum, each) => sum + each, 0) / rows;
  const variance = gains.reduce((sum, each) => sum + (each - gain) ** 2, 0) / (rows - 1);
  const width = Math.hypot(normal95 * Math.sqrt(variance / rows), misfit);
  const [low, high] = [gain - width, gain + width];
  const sentence = `About ${toPoints(gain)} points for ${moreLabels} more labels (${toPoints(low)} to ${toPoints(high)}).`;
  return { labels: moreLabels, gain, low, high, sentence };
}
