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
  #encoder: BatchTextEncoder | null = null;
  #tuningGraph = { path: '', threads: 1 };
  /** Opened when it is first asked for: it takes as much memory as the encoder. */
  #weighTokens: TokenWeigher | null = null;
  readonly #known = new Map<string, Adapters>();
  /** The end of the order before, as they are carried out one at a time. */
  #previous: Promise<unknown> = Promise.resolve();

  readonly orders = {
    open: (files: { modelPath: string; tuningGraphPath: string; threads: number }) =>
      this.#inTurn(async () => {
        this.#tuningGraph = { path: files.tuningGraphPath, threads: files.threads };
        this.#encoder = await openEncoder(files.modelPath, '', files.threads);
        return runtimeVersion;
      }),
    /** Adapters come once, before the texts that first need them, and are kept until they are forgotten. */
    keep: ({ learn, forget }: { learn: readonly { key: string; adapters: Adapters }[]; forget: readonly string[] }) => {
      for (const key of forget) this.#known.delete(key);
      for (const { key, adapters } of learn) this.#known.set(key, adapters);
    },
    /** Answered with null for each text that cannot be read. */
    embed: (order: EmbedOrder) => this.#inTurn(() => this.#embed(order)),
  };

  #inTurn<Output>(work: () => Promise<Output>): Promise<Output> {
    const done = this.#previous.then(work);
    this.#previous = done.catch(() => undefined);
    return done;
  }

  async #embed(order: EmbedOrder): Promise<(Float32Array | null)[]> {
    try {
      return await this.#readTexts(order);
    } catch {
      if (order.texts.length === 1) return [null];
      // The text that cannot be read must not take the others with it.
      const embeddings: (Float32Array | null)[] = [];
      for (const text of order.texts) embeddings.push(...(await this.#embed({ ...order, texts: [text] })));
      return embeddings;
    }
  }

  async #readTexts({ texts, adapters: key, direction }: EmbedOrder): Promise<Float32Array[]> {
    const adapters = key === null ? null : this.#known.get(key);
    if (!this.#encoder || adapters === undefined) throw new Error('The encoder or its adapters are not there.');
    if (direction === undefined) return this.#encoder.embedBatch(texts, adapters);
    const { path, threads } = this.#tuningGraph;
    this.#weighTokens ??= await openTokenWeigher(path, threads);
    return [await this.#weighTokens(texts[0] ?? [], direction, adapters)];
  }
}

export type EncoderOrders = EncoderProcess['orders'];

serveOrders(new EncoderProcess().orders, niceness);
