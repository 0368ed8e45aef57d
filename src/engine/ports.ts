/** The ports of the engine to the outside: the server implements them, tests may use fakes. */

/** The ids around those of a text: the last stands behind it, all others before it, such as those of a prefix. */
export type Frame = readonly number[];

/** Low-rank adapters (LoRA, Hu et al. 2021) of the attention; `weights` as `text/adapters.ts` orders them. */
export type Adapters = { readonly rank: number; readonly weights: Float32Array };

/** The sentence encoder, in float32 arithmetic: a text has the same embedding to 1e-6, alone or among others. */
export type TextEncoder = {
  /** SHA-256 (hex) of the encoder file; a bundle that was trained with another one is refused. */
  readonly sha256: string;
  readonly dimensions: number;
  /** Left out: [CLS] and [SEP]. */
  readonly frame?: Frame | undefined;
  /** Embeds token ids within their frame, plain or with adapters, L2-normalised. Rejects with 'unavailable'. */
  embed(ids: readonly number[], adapters?: Adapters | null): Promise<Float32Array>;
  /**
   * How much each token adds to `embedding · direction`, to first order, in the time of four embeddings. Absent without
   * gradients; rejects as `embed`.
   */
  weighTokens?(ids: readonly number[], direction: Float32Array, adapters: Adapters | null): Promise<Float32Array>;
};

export type EncoderShape = Pick<TextEncoder, 'dimensions' | 'frame'>;

/** An encoder that embeds several texts at once, in their order; fastest where they are about equally long. */
export type BatchTextEncoder = TextEncoder & {
  embedBatch(texts: readonly (readonly number[])[], adapters?: Adapters | null): Promise<Float32Array[]>;
};

/** Returns the language of a text by its ISO 639-1 code; null where none is seen. */
export type LanguageDetector = (text: string) => string | null;

export type ModelFeed = { name: string; dims: number[]; data: Float32Array | BigInt64Array };

/** Runs an ONNX model once; used to prove that the exported graph gives the trainer's numbers. */
export type ModelRunner = (model: Uint8Array, inputs: ModelFeed[]) => Promise<Record<string, Float32Array>>;

/** An ONNX model that stays loaded; its dropout begins again with every session, so runs repeat. */
export type ModelSession = {
  run(inputs: readonly ModelFeed[]): Promise<Record<string, Float32Array>>;
  close(): Promise<void>;
};

/** The graph of a fine-tuning step (`training/tune/tuning-step.ts`). */
export type TuningGraph = ModelSession & {
  /** The graph multiplies the logits of its head by this. */
  readonly headScale: number;
};

/** Digests for the bundle; the engine has no crypto of its own. */
export type Sha256 = (bytes: Uint8Array) => string;

/** Wall clock for traces and estimates, in milliseconds, monotonic. */
export type MonotonicClock = () => number;
