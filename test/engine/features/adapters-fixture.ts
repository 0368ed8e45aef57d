import type { Adapters } from '../../../src/engine/ports.ts';
import { countAdapterWeights } from '../../../src/engine/text/adapters.ts';

/** Adapters by the rule of test/cases/embeddings.json; `scale` is how far they change an embedding. */
export function createAdapters(rank: number, scale: number): Adapters {
  const weights = Float32Array.from(
    { length: countAdapterWeights(rank) },
    (_, i) => (((i * 40503) % 65536) / 65536 - 0.5) * scale,
  );
  return { rank, weights };
}
