/** What the engine needs from outside: the server makes it real, tests may use fakes. */

/** The sentence encoder. One text per call: its int8 arithmetic depends on what else is in a batch. */
export type TextEncoder = {
  /** SHA-256 (hex) of the encoder file; a bundle that was trained with another one is refused. */
  readonly sha256: string;
  readonly dimensions: number;
  /**
   * Embeds one text as token ids with [CLS] and [SEP] already in place (at most `limits.maxEncoderTokens`). L2-normalised.
   * Rejects with WorkbenchError 'unavailable' if the encoder dies while the call waits.
   */
  embed(ids: readonly number[]): Promise<Float32Array>;
};

/** Runs an ONNX model once; used to prove that the exported graph gives the trainer's numbers. */
export type ModelRunner = (
  model: Uint8Array,
  inputs: { name: string; dims: number[]; data: Float32Array | BigInt64Array }[],
) => Promise<Record<string, Float32Array>>;

/** Digests for the bundle; the engine has no crypto of its own. */
export type Sha256 = (bytes: Uint8Array) => string;

/** Wall clock for traces and estimates, in milliseconds, monotonic. */
export type MonotonicClock = () => number;
