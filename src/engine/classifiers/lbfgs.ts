/** Limited-memory BFGS for smooth convex functions, also with parameters that keep a sign. */
import { addScaled, dot } from '../numeric.ts';

/** Writes the gradient at `x` into `gradient` and returns the value. */
type Objective = (x: Float64Array, gradient: Float64Array) => number;
/** Multiplies a vector, in place, with a guess of the inverse Hessian (symmetric, positive definite). */
export type Precondition = (vector: Float64Array) => void;
export type MinimiseSettings = {
  memory: number;
  maxIterations: number;
  /** Stops when no component of the gradient exceeds this. */
  gradientTolerance: number;
  /** Stops when an iteration gains less than this share of the value. */
  valueTolerance: number;
};
type Minimum = { x: Float64Array; value: number; iterations: number; converged: boolean };

function findMaxMagnitude(v: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < v.length; i++) largest = Math.max(largest, Math.abs(v[i]));
  return largest;
}

/** `scale` fits the preconditioner to the curvature along the step. */
type Pair = { step: Float64Array; change: Float64Array; inverse: number; scale: number };

/** Two-loop recursion: writes −H·g (Nocedal & Wright, algorithm 7.4), first guessing H by the preconditioner. */
function writeDirection(
  direction: Float64Array,
  gradient: Float64Array,
  pairs: readonly Pair[],
  precondition: Precondition,
): void {
  direction.set(gradient);
  const factors = new Float64Array(pairs.length);
  for (let i = pairs.length - 1; i >= 0; i--) {
    const pair = pairs[i];
    const factor = pair.inverse * dot(pair.step, direction);
    factors[i] = factor;
    addScaled(direction, -factor, pair.change);
  }
  precondition(direction);
  const scale = pairs.at(-1)?.scale ?? 1;
  for (let i = 0; i < direction.length; i++) direction[i] = -scale * direction[i];
  pairs.forEach((pair, i) => {
    const factor = pair.inverse * dot(pair.change, direction);
    addScaled(direction, -factors[i] - factor, pair.step);
  });
}

/**
 * Minimises a convex function from `start` (not changed) by L-BFGS with an Armijo backtracking line search whose steps
 * come from quadratic interpolation (Nocedal & Wright, sections 3.5 and 7.2). Deterministic.
 */
export function minimise(
  objective: Objective,
  start: Float64Array,
  settings: MinimiseSettings,
  precondition: Precondition = () => undefined,
): Minimum {
  let x = start.slice();
  let candidate = new Float64Array(x.length);
  let gradient: Float64Array = new Float64Array(x.length);
  const changed = new Float64Array(x.length);
  // Vectors of pairs that are forgotten serve again: fresh ones of megabytes cost as much as what is computed in them.
  const free: Float64Array[] = [];
  const takeVector = () => free.pop() ?? new Float64Array(x.length);
  let value = objective(x, gradient);
  let pairs: Pair[] = [];
  for (let iteration = 0; iteration < settings.maxIterations; iteration++) {
    if (findMaxMagnitude(gradient) <= settings.gradientTolerance)
      return { x, value, iterations: iteration, converged: true };
    const direction = takeVector();
    writeDirection(direction, gradient, pairs, precondition);
    let slope = dot(gradient, direction);
    if (slope >= 0) {
      pairs = [];
      writeDirection(direction, gradient, pairs, precondition);
      slope = dot(gradient, direction);
    }
    let length = 1;
    const candidateGradient = takeVector();
    let candidateValue = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 30; attempt++) {
      for (let i = 0; i < x.length; i++) candidate[i] = x[i] + length * direction[i];
      candidateValue = objective(candidate, candidateGradient);
      if (candidateValue <= value + 1e-4 * length * slope) break;
      const interpolated = (-slope * length * length) / (2 * (candidateValue - value - slope * length));
      length = Number.isFinite(interpolated)
        ? Math.max(0.1 * length, Math.min(0.5 * length, interpolated))
        : length / 2;
    }
    if (!(candidateValue < value)) return { x, value, iterations: iteration, converged: false };
    // Both overwrite vectors that are no longer needed.
    const [step, change] = [direction, gradient];
    for (let i = 0; i < x.length; i++) {
      step[i] = candidate[i] - x[i];
      change[i] = candidateGradient[i] - change[i];
    }
    const curvature = dot(step, change);
    if (curvature > 1e-12) {
      changed.set(change);
      precondition(changed);
      pairs.push({ step, change, inverse: 1 / curvature, scale: curvature / dot(change, changed) });
    } else free.push(step, change);
    const oldest = pairs.length > settings.memory ? pairs.shift() : undefined;
    if (oldest) free.push(oldest.step, oldest.change);
    const gain = value - candidateValue;
    [x, candidate] = [candidate, x];
    gradient = candidateGradient;
    value = candidateValue;
    // The first step has no curvature to go by, so a small gain of it says nothing.
    if (iteration > 0 && gain <= settings.valueTolerance * Math.abs(value)) {
      return { x, value, iterations: iteration + 1, converged: true };
    }
  }
  return { x, value, iterations: settings.maxIterations, converged: false };
}

const maxHoldings = 10;

/** As {@link minimise}, for parameters kept at or above 0 (sign 1), or below (-1), by an active set. */
export function minimiseWithin(
  signs: Int8Array,
  objective: Objective,
  start: Float64Array,
  settings: MinimiseSettings,
  precondition: Precondition,
): Minimum {
  const held = new Set<number>();
  const hold = (vector: Float64Array) => {
    for (const i of held) vector[i] = 0;
  };
  const keepSigns = (vector: Float64Array) => vector.map((value, i) => (signs[i] * value < 0 ? 0 : value));
  const listWrong = (vector: Float64Array, tolerance: number) =>
    [...signs.keys()].filter((i) => signs[i] * vector[i] < -tolerance);
  let best: Minimum = { x: start, value: 0, iterations: 0, converged: false };
  for (let holding = 0; holding < maxHoldings; holding++) {
    const found = minimise(
      (x, gradient) => {
        const value = objective(x, gradient);
        hold(gradient);
        return value;
      },
      keepSigns(best.x),
      settings,
      (vector) => {
        precondition(vector);
        hold(vector);
      },
    );
    best = { ...found, iterations: best.iterations + found.iterations };
    const wrong = listWrong(found.x, 0);
    for (const i of wrong) held.add(i);
    if (wrong.length > 0) continue;
    const gradient = new Float64Array(start.length);
    objective(found.x, gradient);
    const released = listWrong(gradient, settings.gradientTolerance).filter((i) => held.has(i));
    if (released.length === 0) break;
    for (const i of released) held.delete(i);
  }
  return { ...best, x: keepSigns(best.x) };
}
