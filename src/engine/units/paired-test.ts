/** Whether rows are decided certainly worse without the others of their group than with these. */
import { exp } from '../exact-math.ts';
import { listUnits } from '../measure/reapply.ts';

/** Whether a row was decided correctly, learned with others of its group and without; `group` as rows are counted. */
export type Outcome = { atRandom: boolean; inWay: boolean; group?: number | undefined };

/** A smaller difference changes nothing that is said. */
const minGap = 0.01;

/**
 * Compares both outcomes of the same rows by groups, one-sided: lower is what chance brings with less than `level`, and
 * a point at least. `share` is right without the group.
 */
export function compareWays(outcomes: readonly Outcome[], level: number): { share: number; isLower: boolean } {
  let [sum, squares] = [0, 0];
  for (const unit of listUnits(outcomes)) {
    let difference = 0;
    for (const row of unit) difference += Number(outcomes[row].atRandom) - Number(outcomes[row].inWay);
    sum += difference;
    squares += difference ** 2;
  }
  const share = outcomes.filter(({ inWay }) => inWay).length / Math.max(1, outcomes.length);
  const isNotable = sum > 0 && sum >= minGap * outcomes.length;
  return { share, isLower: isNotable && computeNormalTail(sum / Math.sqrt(squares)) < level };
}

/** P(Z > z) of the standard normal distribution for z ≥ 0, to 1e-7 (Abramowitz and Stegun 26.2.17). */
function computeNormalTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}
