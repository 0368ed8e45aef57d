/** Entry of the encoder's own process: loads the model and embeds texts in turn. */
import type { Adapters, BatchTextEncoder } from '../../../engine/ports.ts';
import { serveOrders } from '../../process/orders.ts';
import { openEncoder, openTokenWeigher, runtimeVersion, type TokenWeigher } from './onnx-session.ts';

/**
 * Texts of about one length to embed; `adapters` is the digest of those that they are embedded with, null for the plain
 * encoder. Where there is a direction, there is one text, and the weights of its tokens in that direction are answered
 * for its embedding.
 */
export type EmbedOrder = {
  texts: readonly (readonly number[])[];
  adapters: string | null;
  direction?: Float32Array | undefined;
};

/** Below the server, so that where cores are few, decisions without text do not wait behind texts. */
const niceness = 5;

class EncoderProcess {
  /** Null until it is opened; where that fails, the texts that wait for it fail with the same error. */
  #encoder: Promise<BatchTextEncoder> | null = null;
  #tuningGraph = { path: '', threads: 1 };
  /** Opened when it is first asked for: it takes as much memory as the encoder. */
  #weighTokens: TokenWeigher | null = null;
  readonly #known = new Map<string, Adapters>();
  /** The end of the order before, as they are carried out one at a time. */
  #previous: Promise<unknown> = Promise.resolve();

  readonly orders = {
    open: async (files: { modelPath: string; tuningGraphPath: string; threads: number }) => {
      this.#tuningGraph = { path: files.tuningGraphPath, threads: files.threads };
      this.#encoder = this.#inTurn(() => openEncoder(files.modelPath, '', files.threads));
      await this.#encoder;
      return runtimeVersion;
    },
    /** Adapters come once, before the texts that first need them, and are kept until they are forgotten. */
    keep: ({ learn, forget }: { learn: readonly { key: string; adapters: Adapters }[]; forget: readonly string[] }) => {
      for (const key of forget) this.#known.delete(key);
      for (const { key, adapters } of learn) this.#known.set(key, adapters);
    },
    /** Answered with null for each text that cannot be read. */
    embed: (order: EmbedOrder) =>
      this.#inTurn(async () => {
        const encoder = await this.#encoder;
        if (encoder === null) throw new Error('The encoder has not been opened.');
        return this.#embed(encoder, order);
      }),
  };

  #inTurn<Output>(work: () => Promise<Output>): Promise<Output> {
    const done = this.#previous.then(work);
    this.#previous = done.catch(() => undefined);
    return done;
  }

  async #embed(encoder: BatchTextEncoder, order: EmbedOrder): Promise<(Float32Array | null)[]> {
    try {
      return await this.#readTexts(encoder, order);
    } catch {
      if (order.texts.length === 1) return [null];
      // The text that cannot be read must not take the others with it.
      const embeddings: (Float32Array | null)[] = [];
      for (const text of order.texts) embeddings.push(...(await this.#embed(encoder, { ...order, texts: [text] })));
      return embeddings;
    }
  }

  async #readTexts(encoder: BatchTextEncoder, order: EmbedOrder): Promise<Float32Array[]> {
    const { texts, adapters: key, direction } = order;
    const adapters = key === null ? null : this.#known.get(key);
    if (adapters === undefined) throw new Error('The adapters of the encoder are not there.');
    if (direction === undefined) return encoder.embedBatch(texts, adapters);
    const { path, threads } = this.#tuningGraph;
    this.#weighTokens ??= await openTokenWeigher(path, threads);
    return [await this.#weighTokens(texts[0] ?? [], direction, adapters)];
  }
}

export type EncoderOrders = EncoderProcess['orders'];

serveOrders(new EncoderProcess().orders, niceness);
