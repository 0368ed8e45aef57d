import type { Interval } from '../../intervals.ts';
import { listUnits } from '../../measure/reapply.ts';
import { createRandom } from '../../random.ts';

const sampleCount = 1000;

/** The interval of macro-F1 by percentile bootstrap (Efron 1979); rows of one group are drawn together. */
export function bootstrapMacroF1(
  expected: readonly number[],
  predicted: readonly number[],
  optionCount: number,
  seed: number,
  groups: readonly { group: number | undefined }[] = [],
): Interval {
  const units = listUnits(expected.map((_, row) => groups[row] ?? {}));
  const count = units.length;
  if (count === 0) return { low: 0, high: 1 };
  const random = createRandom(seed);
  const scores = new Float64Array(sampleCount);
  for (let sample = 0; sample < sampleCount; sample++) {
    const hits = new Float64Array(optionCount);
    const either = new Float64Array(optionCount);
    for (let draw = 0; draw < count; draw++) {
      for (const row of units[Math.floor(random() * count)] ?? []) {
        const right = expected[row];
        const guess = predicted[row];
        if (right === guess) hits[right] += 1;
        either[right] += 1;
        either[guess] += 1;
      }
    }
    let sum = 0;
    let seen = 0;
    for (let k = 0; k < optionCount; k++) {
      if (either[k] === 0) continue;
      sum += (2 * hits[k]) / either[k];
      seen += 1;
    }
    scores[sample] = sum / seen;
  }
  scores.sort();
  return { low: scores[Math.floor(0.025 * sampleCount)] ?? 0, high: scores[Math.ceil(0.975 * sampleCount) - 1] ?? 1 };
}
