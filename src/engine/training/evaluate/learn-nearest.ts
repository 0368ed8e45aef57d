/** Learning the directions that tell options apart, and the examples that stand for each option along them. */
import { cholesky } from '../../classifiers/precondition.ts';
import { compileProjection, type NearestFile, toBytes } from '../../features/nearest-example.ts';
import { addScaled, dot } from '../../numeric.ts';

/** Rows of embeddings: that of row i begins at `i * stride + from`. */
export type Embeddings = { values: Float64Array; stride: number; from: number; dimensions: number };

const maxDirections = 64;
/** Examples of all options together; with the directions they take about 100 kB in a bundle. */
const maxExamples = 1_024;
const minOptions = 3;
const maxCovarianceRows = 1_500;
/** The identity's share in the covariance; 0.3 did best of 0.1 to 0.9 on banking77 with options left out. */
const shrinkage = 0.3;

/** Linear discriminant analysis (Fisher 1936; Rao 1948), shrunk (Friedman 1989). Null below three options. */
export function learnNearest(
  embeddings: Embeddings,
  labels: ArrayLike<number>,
  positions: readonly number[],
): Omit<NearestFile, 'least'> | null {
  const groups = [...Map.groupBy(positions, (i) => labels[i])].sort(([a], [b]) => a - b).map(([, group]) => group);
  if (groups.length < minOptions) return null;
  const { values, stride, from, dimensions } = embeddings;
  const means = groups.map((group) => computeMean(embeddings, group));
  const spread = factoriseSpread(embeddings, groups, means);
  for (const mean of means) solveForward(spread, mean);
  const centre = new Float64Array(dimensions);
  for (const mean of means) addScaled(centre, 1 / means.length, mean);
  for (const mean of means) addScaled(mean, -1, centre);
  const directions = orthonormalise(means);
  if (directions.length === 0) return null;
  for (const direction of directions) solveBackward(spread, direction);
  const overall = computeMean(embeddings, positions);
  const scale = directions.map((row) =>
    Number((row.reduce((max, x) => Math.max(max, Math.abs(x)), 0) / 127).toPrecision(6)),
  );
  const basis = directions.map((row, r) => Array.from(row, (x) => Math.round(x / scale[r])));
  const offset = basis.map((row, r) =>
    Number((scale[r] * row.reduce((sum, byte, d) => sum + byte * overall[d], 0)).toPrecision(8)),
  );
  const project = compileProjection({ basis, scale, offset });
  const perOption = Math.max(1, Math.floor(maxExamples / groups.length));
  const examples = groups.flatMap((group) =>
    spreadOut(
      group.map((i) => project(values, i * stride + from)),
      perOption,
    ),
  );
  return { basis, scale, offset, examples: examples.map(toBytes) };
}

const takeRow = ({ values, stride, from, dimensions }: Embeddings, i: number) =>
  values.subarray(i * stride + from, i * stride + from + dimensions);

function computeMean(embeddings: Embeddings, positions: readonly number[]): Float64Array {
  const mean = new Float64Array(embeddings.dimensions);
  for (const i of positions) addScaled(mean, 1 / positions.length, takeRow(embeddings, i));
  return mean;
}

/** The Cholesky factor L (lower triangle, row-major) of the shrunk covariance within the groups. */
function factoriseSpread(
  embeddings: Embeddings,
  groups: readonly (readonly number[])[],
  means: readonly Float64Array[],
): Float64Array {
  const { dimensions } = embeddings;
  const covariance = new Float64Array(dimensions * dimensions);
  const total = groups.reduce((sum, group) => sum + group.length, 0);
  const step = Math.max(1, Math.ceil(total / maxCovarianceRows));
  let count = 0;
  for (const [g, group] of groups.entries()) {
    for (let p = 0; p < group.length; p += step) {
      const deviation = takeRow(embeddings, group[p]).slice();
      addScaled(deviation, -1, means[g]);
      count += 1;
      for (let a = 0; a < dimensions; a++) {
        const x = deviation[a];
        for (let b = 0, at = a * dimensions; b <= a; b++, at++) {
          covariance[at] += x * deviation[b];
        }
      }
    }
  }
  let trace = 0;
  for (let a = 0; a < dimensions; a++) trace += covariance[a * dimensions + a];
  const identity = (shrinkage * trace) / count / dimensions || 1;
  for (let i = 0; i < covariance.length; i++) covariance[i] = ((1 - shrinkage) * covariance[i]) / count;
  for (let a = 0; a < dimensions; a++) {
    covariance[a * dimensions + a] += identity;
  }
  cholesky(covariance, dimensions);
  return covariance;
}

/** In place: x ← L⁻¹ x. */
function solveForward(l: Float64Array, x: Float64Array): void {
  for (let r = 0; r < x.length; r++) {
    let sum = x[r];
    for (let c = 0; c < r; c++) sum -= l[r * x.length + c] * x[c];
    x[r] = sum / l[r * x.length + r];
  }
}

/** In place: x ← L⁻ᵀ x. */
function solveBackward(l: Float64Array, x: Float64Array): void {
  for (let r = x.length - 1; r >= 0; r--) {
    let sum = x[r];
    for (let c = r + 1; c < x.length; c++) sum -= l[c * x.length + r] * x[c];
    x[r] = sum / l[r * x.length + r];
  }
}

/** An orthonormal basis of what the vectors span, by Gram and Schmidt from the longest remainder on; 64 at most. */
function orthonormalise(vectors: readonly Float64Array[]): Float64Array[] {
  const rest = vectors.map((vector) => vector.slice());
  const basis: Float64Array[] = [];
  let first = 0;
  while (basis.length < Math.min(maxDirections, vectors.length - 1)) {
    const squares = rest.map((vector) => dot(vector, vector));
    const largest = Math.max(...squares);
    if (basis.length === 0) first = largest;
    if (largest <= 1e-9 * first || largest === 0) break;
    const next = rest[squares.indexOf(largest)].map((value) => value / Math.sqrt(largest));
    for (const vector of rest) addScaled(vector, -dot(vector, next), next);
    basis.push(next);
  }
  return basis;
}

/** At most `count` of the unit vectors, each the one farthest from those before it (Gonzalez 1985). */
function spreadOut(vectors: readonly Float64Array[], count: number): Float64Array[] {
  if (vectors.length <= count) return [...vectors];
  const mean = new Float64Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) addScaled(mean, 1, vector);
  const nearness = vectors.map((vector) => -dot(vector, mean));
  const chosen: Float64Array[] = [];
  while (chosen.length < count) {
    const next = vectors[nearness.indexOf(Math.min(...nearness))];
    const isFirst = chosen.length === 0;
    chosen.push(next);
    vectors.forEach((vector, i) => {
      const similarity = dot(vector, next);
      nearness[i] = isFirst ? similarity : Math.max(nearness[i], similarity);
    });
  }
  return chosen;
}
