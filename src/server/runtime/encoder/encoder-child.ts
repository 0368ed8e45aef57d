/** Entry of the encoder's own process: loads the model, answers batches in turn, ends when the parent is gone. */
import { setPriority } from 'node:os';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Adapters, BatchTextEncoder } from '../../../engine/ports.ts';
import { groupByLength } from '../../../engine/text/encoder-input.ts';
import { openEncoder, openTokenWeigher, runtimeVersion, type TokenWeigher } from './onnx-session.ts';

/**
 * A text to embed; `adapters` is the digest of those that it is embedded with, null for the plain encoder. Where there
 * is a direction, the text comes alone, and the weights of its tokens in that direction are answered for its embedding.
 */
type EncoderText = {
  id: number;
  ids: readonly number[];
  adapters: string | null;
  direction?: Float32Array | undefined;
};
/** Parent to child. Adapters are sent once, with the texts that first need them, and kept until they are forgotten. */
export type EncoderRequest =
  | { kind: 'open'; modelPath: string; tuningGraphPath: string; threads: number }
  | {
      kind: 'embed';
      texts: readonly EncoderText[];
      learn: readonly { key: string; adapters: Adapters }[];
      forget: readonly string[];
    };
export type EncoderReply =
  | { kind: 'ready'; runtime: string }
  /** The files of the text model do not fit each other; the parent ends the child and tries again. */
  | { kind: 'unusable'; message: string }
  | { kind: 'embeddings'; texts: { id: number; embedding: Float32Array }[] }
  | { kind: 'refused'; id: number; message: string };

/** Below the server, so that where cores are few, decisions without text do not wait behind texts. */
const niceness = 5;

process.once('disconnect', () => process.exit(0));
setPriority(niceness);

let encoder: BatchTextEncoder | null = null;
let tuningGraphPath = '';
let threads = 1;
/** Opened when it is first asked for: it takes as much memory as the encoder. */
let weighTokens: TokenWeigher | null = null;
const known = new Map<string, Adapters>();
/** Handles requests one at a time, in order. */
let previous: Promise<void> = Promise.resolve();

process.on('message', (request: EncoderRequest) => {
  previous = previous.then(() => answer(request));
});

async function answer(request: EncoderRequest): Promise<void> {
  if (request.kind === 'open') {
    ({ tuningGraphPath, threads } = request);
    try {
      encoder = await openEncoder(request.modelPath, '', threads);
      reply({ kind: 'ready', runtime: runtimeVersion });
    } catch (error) {
      // It ends the process: the parent sees its exit and tries again.
      if (!(error instanceof WorkbenchError)) throw error;
      reply({ kind: 'unusable', message: error.message });
    }
    return;
  }
  for (const key of request.forget) known.delete(key);
  for (const { key, adapters } of request.learn) known.set(key, adapters);
  const byAdapters = Map.groupBy(request.texts, ({ adapters }) => adapters);
  for (const [key, texts] of byAdapters) {
    for (const group of groupByLength(texts, ({ ids }) => ids.length)) await embed(key, group);
  }
}

async function embed(key: string | null, group: readonly EncoderText[]): Promise<void> {
  try {
    const adapters = key === null ? null : known.get(key);
    if (!encoder || adapters === undefined) throw new Error('The encoder or its adapters are not there.');
    const embeddings = await readTexts(encoder, group, adapters);
    reply({
      kind: 'embeddings',
      texts: group.map(({ id }, at) => ({ id, embedding: embeddings[at] as Float32Array })),
    });
  } catch (error) {
    // The text that cannot be read must not take the others with it.
    if (group.length > 1) for (const text of group) await embed(key, [text]);
    else
      reply({
        kind: 'refused',
        id: group[0]?.id ?? 0,
        message: error instanceof Error ? error.message : String(error),
      });
  }
}

async function readTexts(
  { embedBatch }: BatchTextEncoder,
  group: readonly EncoderText[],
  adapters: Adapters | null,
): Promise<Float32Array[]> {
  const [first] = group;
  if (first?.direction === undefined)
    return embedBatch(
      group.map(({ ids }) => ids),
      adapters,
    );
  weighTokens ??= await openTokenWeigher(tuningGraphPath, threads);
  return [await weighTokens(first.ids, first.direction, adapters)];
}

function reply(message: EncoderReply): void {
  if (process.connected) process.send?.(message);
}
