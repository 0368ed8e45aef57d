/** How near an embedding comes to an example along the directions that tell options apart; a new question is far. */
import { z } from 'zod';

const finite = z.number();
const signedByte = z.int().min(-127).max(127);
const maxByte = 127;

/**
 * `nearest` in `familiarity.json`: direction r is `scale[r]` times the bytes of `basis[r]`, minus `offset[r]`;
 * `examples` are unit vectors along these directions, times 127.
 */
export const nearestSchema = z.strictObject({
  basis: z.array(z.array(signedByte)).min(1),
  scale: z.array(finite),
  offset: z.array(finite),
  examples: z.array(z.array(signedByte)).min(1),
  least: finite,
});
export type NearestFile = z.infer<typeof nearestSchema>;
export type Directions = Pick<NearestFile, 'basis' | 'scale' | 'offset'>;

/** The unit vector of an embedding along the directions; the embedding begins at `from`. */
type Projection = (embedding: ArrayLike<number>, from: number) => Float64Array;

/** Σ a[aFrom + i] · b[bFrom + i] for i below `size`, in four sums that a processor adds at once. */
function computeDot(a: Float64Array, aFrom: number, b: Float64Array, bFrom: number, size: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let i = 0;
  for (; i + 3 < size; i += 4) {
    s0 += a[aFrom + i] * b[bFrom + i];
    s1 += a[aFrom + i + 1] * b[bFrom + i + 1];
    s2 += a[aFrom + i + 2] * b[bFrom + i + 2];
    s3 += a[aFrom + i + 3] * b[bFrom + i + 3];
  }
  for (; i < size; i++) s0 += a[aFrom + i] * b[bFrom + i];
  return s0 + s1 + (s2 + s3);
}

/** Compiles directions. An embedding without any part along them becomes a vector of zeros. */
export function compileProjection({ basis, scale, offset }: Directions): Projection {
  const width = basis[0]?.length ?? 0;
  const flat = Float64Array.from(basis.flat());
  return (embedding, from) => {
    const x = new Float64Array(width);
    for (let d = 0; d < width; d++) x[d] = embedding[from + d];
    const projected = new Float64Array(scale.length);
    for (let r = 0; r < projected.length; r++) {
      projected[r] = computeDot(flat, r * width, x, 0, width) * scale[r] - offset[r];
    }
    const length = Math.sqrt(computeDot(projected, 0, projected, 0, projected.length)) || 1;
    return projected.map((value) => value / length);
  };
}

/** Rounds a unit vector to the bytes in which the file keeps it. */
export function toBytes(unit: ArrayLike<number>): number[] {
  return Array.from(unit, (value) => Math.round(value * maxByte));
}

/** Compiles the file into a function that gives the largest cosine of an embedding with one of the examples. */
export function compileNearest(
  file: Omit<NearestFile, 'least'>,
): (embedding: ArrayLike<number>, from: number) => number {
  const project = compileProjection(file);
  const size = file.basis.length;
  const examples = Float64Array.from(file.examples.flat());
  return (embedding, from) => {
    const unit = project(embedding, from);
    let largest = Number.NEGATIVE_INFINITY;
    for (let start = 0; start < examples.length; start += size) {
      largest = Math.max(largest, computeDot(examples, start, unit, 0, size));
    }
    return largest / maxByte;
  };
}

/** Whether all lists of the file have the lengths that an encoder of this many dimensions asks for. */
export function nearestFits({ basis, scale, offset, examples }: NearestFile, dimensions: number | undefined): boolean {
  const size = basis.length;
  return (
    basis.every((row) => row.length === dimensions) &&
    scale.length === size &&
    offset.length === size &&
    examples.every((example) => example.length === size)
  );
}
