/** The low-rank adapters of the sentence encoder: their matrices, and their bytes in a bundle. */
import { limits } from '../limits.ts';
import { decodeFloats, toFloatBytes } from '../numeric.ts';
import type { Adapters, ModelFeed } from '../ports.ts';

/** Layers of the encoder; each has adapters of its queries and of its values. */
const layers = 6;

/** A matrix among the weights: its name in the graph, its shape and where it begins. */
type AdapterMatrix = { name: string; dims: [number, number]; from: number };

/** Matrices of adapters in the order of their weights, row-major; a layer gets 2 · x · a · b. */
export function listAdapterMatrices(rank: number): AdapterMatrix[] {
  const { embeddingDimensions: dimensions } = limits;
  return Array.from({ length: layers }, (_, layer) =>
    ['q', 'v'].map((part) => [`${part}_a${layer}`, `${part}_b${layer}`]),
  )
    .flat(2)
    .map((name, at) => ({
      name,
      dims: at % 2 === 0 ? [dimensions, rank] : [rank, dimensions],
      from: at * dimensions * rank,
    }));
}

/** The float32 weights of adapters of this rank: two matrices for queries and two for values in each layer. */
export const countAdapterWeights = (rank: number): number => 4 * layers * limits.embeddingDimensions * rank;

/** Adapters of rank 1 that change nothing: the plain encoder. */
export const createZeroAdapters = (): Adapters => ({ rank: 1, weights: new Float32Array(countAdapterWeights(1)) });

/** Adapters as inputs of the encoder's graphs; the data are views of their weights. */
export function toAdapterFeeds({ rank, weights }: Adapters): ModelFeed[] {
  return listAdapterMatrices(rank).map(({ name, dims, from }) => ({
    name,
    dims,
    data: weights.subarray(from, from + dims[0] * dims[1]),
  }));
}

/** The bytes of adapters: little-endian float32 in the order of {@link listAdapterMatrices}. */
export const packAdapters = ({ weights }: Adapters): Uint8Array => toFloatBytes(weights);

/** Reads packed adapters; null where their length is not that of the rank or a number is not finite. */
export function unpackAdapters(bytes: Uint8Array, rank: number): Adapters | null {
  if (bytes.length !== countAdapterWeights(rank) * Float32Array.BYTES_PER_ELEMENT) return null;
  const weights = decodeFloats(bytes);
  return weights.every(Number.isFinite) ? { rank, weights } : null;
}
