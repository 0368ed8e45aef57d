/** Many rows of numbers in little memory: fixed-point numbers of 16 bits, by the id of the row. */

/** One is 4,096 steps, so that numbers up to ±8 fit, which is where standardised values are cut. */
const stepsPerUnit = 4_096;
const maxSteps = 32_767;
const firstCapacity = 256;

/** Rows of one width, the last column a constant; the place of a row that was removed is given to a later one. */
export class RowMatrix {
  readonly width: number;
  readonly #places = new Map<string, number>();
  readonly #ids: (string | null)[] = [];
  readonly #free: number[] = [];
  #values: Int16Array<ArrayBuffer>;
  #lengths: Float64Array<ArrayBuffer>;

  constructor(width: number) {
    this.width = width;
    this.#values = new Int16Array(firstCapacity * width);
    this.#lengths = new Float64Array(firstCapacity);
  }

  get size(): number {
    return this.#places.size;
  }

  ids(): IterableIterator<string> {
    return this.#places.keys();
  }

  findPlace(id: string): number | null {
    return this.#places.get(id) ?? null;
  }

  /** Stores a row, rounded to steps of 1/4,096, and returns its place. */
  add(id: string, row: Float64Array): number {
    const place = this.#free.pop() ?? this.#ids.length;
    if ((place + 1) * this.width > this.#values.length) this.#grow();
    let squares = 0;
    for (let d = 0, at = place * this.width; d < this.width; d++, at++) {
      const steps = Math.round(row[d] * stepsPerUnit);
      const kept = Math.max(-maxSteps, Math.min(maxSteps, steps));
      this.#values[at] = kept;
      if (d < this.width - 1) squares += kept * kept;
    }
    this.#lengths[place] = Math.sqrt(squares) / stepsPerUnit;
    this.#ids[place] = id;
    this.#places.set(id, place);
    return place;
  }

  remove(id: string): void {
    const place = this.#places.get(id);
    if (place === undefined) return;
    this.#places.delete(id);
    this.#ids[place] = null;
    this.#free.push(place);
  }

  read(place: number): Float64Array {
    const row = new Float64Array(this.width);
    for (let d = 0, at = place * this.width; d < this.width; d++, at++) {
      row[d] = this.#values[at] / stepsPerUnit;
    }
    return row;
  }

  multiply(place: number, vector: Float64Array): number {
    let sum = 0;
    for (let d = 0, at = place * this.width; d < this.width; d++, at++) {
      sum += this.#values[at] * vector[d];
    }
    return sum / stepsPerUnit;
  }

  /** How alike a stored row and another one are: the cosine of their angle (−1 to 1) without the constant. */
  compare(place: number, row: Float64Array): number {
    return this.#compare(place, row, measureLength(row, this.width));
  }

  /** The `count` rows most like one, most alike first, of those wanted. */
  findNearest(
    row: Float64Array,
    count: number,
    isWanted: (id: string) => boolean,
  ): { id: string; similarity: number }[] {
    const length = measureLength(row, this.width);
    const nearest: { id: string; similarity: number }[] = [];
    for (const [id, place] of this.#places) {
      const similarity = this.#compare(place, row, length);
      const last = nearest[nearest.length - 1];
      if (nearest.length === count && last !== undefined && similarity <= last.similarity) continue;
      if (!isWanted(id)) continue;
      let at = nearest.length;
      while (at > 0 && (nearest[at - 1]?.similarity ?? 0) < similarity) at -= 1;
      nearest.splice(at, 0, { id, similarity });
      if (nearest.length > count) nearest.pop();
    }
    return nearest;
  }

  #compare(place: number, row: Float64Array, length: number): number {
    const lengths = length * this.#lengths[place];
    if (lengths === 0) return 0;
    const constant = (this.#values[(place + 1) * this.width - 1] / stepsPerUnit) * row[this.width - 1];
    return (this.multiply(place, row) - constant) / lengths;
  }

  #grow(): void {
    const grow = ({ buffer }: { buffer: ArrayBuffer }) => buffer.transfer(buffer.byteLength * 2);
    this.#values = new Int16Array(grow(this.#values));
    this.#lengths = new Float64Array(grow(this.#lengths));
  }
}

/** The length of a row without the constant. */
function measureLength(row: Float64Array, width: number): number {
  let squares = 0;
  for (let d = 0; d < width - 1; d++) squares += row[d] * row[d];
  return Math.sqrt(squares);
}
