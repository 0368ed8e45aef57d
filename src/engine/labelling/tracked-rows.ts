/** Rows whose scores and variances are kept up to date with every step of a ridge regression. */
import type { RidgeStep } from './online-ridge.ts';
import type { RowMatrix } from './row-matrix.ts';

const firstCapacity = 256;
type Numbers = Float64Array<ArrayBuffer>;

/** At most as many rows as are added; a step costs rows × (width + outputs) operations. */
export class TrackedRows {
  readonly #outputCount: number;
  readonly #indices = new Map<string, number>();
  readonly ids: string[] = [];
  readonly places: number[] = [];
  #scores: Numbers;
  #variances: Numbers;

  constructor(outputCount: number) {
    this.#outputCount = outputCount;
    this.#scores = new Float64Array(firstCapacity * outputCount);
    this.#variances = new Float64Array(firstCapacity);
  }

  get size(): number {
    return this.ids.length;
  }

  add(id: string, place: number, scores: Float64Array, variance: number): void {
    const index = this.ids.length;
    if (index === this.#variances.length) this.#grow();
    this.#indices.set(id, index);
    this.ids.push(id);
    this.places.push(place);
    this.#scores.set(scores, index * this.#outputCount);
    this.#variances[index] = variance;
  }

  /** Forgets a row; the last one takes its index. */
  remove(id: string): void {
    const index = this.#indices.get(id);
    if (index === undefined) return;
    const last = this.ids.length - 1;
    const lastId = this.ids[last];
    this.ids[index] = lastId;
    this.places[index] = this.places[last];
    this.#scores.copyWithin(index * this.#outputCount, last * this.#outputCount, (last + 1) * this.#outputCount);
    this.#variances[index] = this.#variances[last];
    this.#indices.set(lastId, index);
    this.#indices.delete(id);
    this.ids.pop();
    this.places.pop();
  }

  readScores(index: number): Float64Array {
    return this.#scores.slice(index * this.#outputCount, (index + 1) * this.#outputCount);
  }

  readVariance(index: number): number {
    return this.#variances[index];
  }

  apply({ direction, scoreSteps, varianceStep }: RidgeStep, matrix: RowMatrix): void {
    for (let index = 0; index < this.ids.length; index++) {
      const product = matrix.multiply(this.places[index], direction);
      this.#variances[index] += varianceStep * product * product;
      const from = index * this.#outputCount;
      for (let k = 0; k < this.#outputCount; k++) {
        this.#scores[from + k] += product * scoreSteps[k];
      }
    }
  }

  #grow(): void {
    const grow = ({ buffer }: Numbers) => new Float64Array(buffer.transfer(buffer.byteLength * 2));
    this.#scores = grow(this.#scores);
    this.#variances = grow(this.#variances);
  }
}
