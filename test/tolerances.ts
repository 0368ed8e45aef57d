/** How far figures recorded on one machine may differ on another, whose text models add in another order. */
import { expect } from 'vitest';

/** Largest difference of a probability or a confidence. */
const maxProbabilityDifference = 1e-6;
/** Largest difference of a component of an embedding. */
export const maxComponentDifference = 1e-3;

/** `recorded` with its fractions as what is expected nearly: a matcher for probabilities in any structure. */
export function nearly(recorded: unknown): unknown {
  if (typeof recorded === 'number' && !Number.isInteger(recorded)) return toBeNear(recorded);
  if (Array.isArray(recorded)) return recorded.map(nearly);
  if (typeof recorded !== 'object' || recorded === null) return recorded;
  return Object.fromEntries(Object.entries(recorded).map(([name, value]) => [name, nearly(value)]));
}

/** `expect.closeTo` allows half a unit of its last digit. */
const toBeNear = (value: number) => expect.closeTo(value, -Math.log10(2 * maxProbabilityDifference));
