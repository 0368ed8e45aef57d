/** Ridge regression on one-hot labels, exact under every change (Sherman & Morrison 1950), width² operations. */
import { dot } from '../numeric.ts';

/** The update of a row `x` by a change: `(x · direction) · scoreSteps[k]` and `(x · direction)² · varianceStep`. */
export type RidgeStep = {
  readonly direction: Float64Array;
  readonly scoreSteps: Float64Array;
  readonly varianceStep: number;
};

export class OnlineRidge {
  readonly width: number;
  readonly outputCount: number;
  /** Weights of one column after the other: `outputCount` numbers for each. */
  readonly #weights: Float64Array;
  /** (penalty · I + Σ weight · x xᵀ)⁻¹, symmetric, row by row. */
  readonly #inverse: Float64Array;

  /** Starts without labels; `penalty` > 0 counts like that many rows which say that every weight is 0. */
  constructor(width: number, outputCount: number, penalty: number) {
    this.width = width;
    this.outputCount = outputCount;
    this.#weights = new Float64Array(width * outputCount);
    this.#inverse = new Float64Array(width * width);
    for (let d = 0; d < width; d++) this.#inverse[d * width + d] = 1 / penalty;
  }

  /** Takes in a row with its label; a negative weight takes back a row that was taken in with that weight. */
  add(row: Float64Array, label: number, weight: number): RidgeStep {
    const direction = this.multiplyInverse(row);
    const variance = dot(row, direction);
    const gain = weight / (1 + weight * variance);
    const scoreSteps = this.score(row);
    for (let k = 0; k < this.outputCount; k++) {
      scoreSteps[k] = gain * ((k === label ? 1 : 0) - scoreSteps[k]);
    }
    this.#addOuterProduct(direction, scoreSteps);
    this.#addToInverse(direction, -gain);
    return { direction, scoreSteps, varianceStep: -gain };
  }

  /** The scores of a row: about 1 for the output it belongs to and 0 for the others. */
  score(row: Float64Array): Float64Array {
    const { outputCount } = this;
    const scores = new Float64Array(outputCount);
    for (let d = 0; d < this.width; d++) {
      const value = row[d];
      if (value === 0) continue;
      const from = d * outputCount;
      for (let k = 0; k < outputCount; k++) {
        scores[k] += value * this.#weights[from + k];
      }
    }
    return scores;
  }

  /** Inverse · row: the product of it and a row is their covariance given the labels, with itself its variance. */
  multiplyInverse(row: Float64Array): Float64Array {
    const { width } = this;
    const product = new Float64Array(width);
    for (let d = 0; d < width; d++) {
      let sum = 0;
      for (let e = 0, at = d * width; e < width; e++, at++) sum += this.#inverse[at] * row[e];
      product[d] = sum;
    }
    return product;
  }

  #addOuterProduct(direction: Float64Array, steps: Float64Array): void {
    const { outputCount } = this;
    for (let d = 0, at = 0; d < this.width; d++) {
      const factor = direction[d];
      for (let k = 0; k < outputCount; k++, at++) {
        this.#weights[at] += factor * steps[k];
      }
    }
  }

  #addToInverse(direction: Float64Array, step: number): void {
    for (let d = 0, at = 0; d < this.width; d++) {
      const factor = step * direction[d];
      for (let e = 0; e < this.width; e++, at++) {
        this.#inverse[at] += factor * direction[e];
      }
    }
  }
}
