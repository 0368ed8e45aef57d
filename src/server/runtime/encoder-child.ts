/** Entry of the encoder's own process: loads the model, answers batches in turn, ends when the parent is gone. */
import { setPriority } from 'node:os';
import type { BatchTextEncoder } from '../../engine/ports.ts';
import { groupByLength } from '../../engine/text/encoder-input.ts';
import { openEncoder, runtimeVersion } from './onnx-session.ts';

export type EncoderText = { id: number; ids: readonly number[] };
/** Parent to child. */
export type EncoderRequest =
  | { kind: 'open'; modelPath: string; threads: number }
  | { kind: 'embed'; texts: readonly EncoderText[] };
/** Child to parent. */
export type EncoderReply =
  | { kind: 'ready'; runtime: string }
  | { kind: 'embeddings'; texts: { id: number; embedding: Float32Array }[] }
  | { kind: 'refused'; id: number; message: string };

/** Below the server, so that where cores are few, decisions without text do not wait behind texts. */
const niceness = 5;

process.once('disconnect', () => process.exit(0));
setPriority(niceness);

let encoder: BatchTextEncoder | null = null;
/** Requests are worked off in the order of their arrival; each waits for the one before. */
let previous: Promise<void> = Promise.resolve();

process.on('message', (request: EncoderRequest) => {
  previous = previous.then(() => answer(request));
});

async function answer(request: EncoderRequest): Promise<void> {
  if (request.kind === 'open') {
    // A rejection ends the process: the parent sees its exit and tries again.
    encoder = await openEncoder(request.modelPath, '', request.threads);
    reply({ kind: 'ready', runtime: runtimeVersion });
    return;
  }
  for (const group of groupByLength(request.texts, ({ ids }) => ids.length)) await embed(group);
}

async function embed(group: readonly EncoderText[]): Promise<void> {
  try {
    if (!encoder) throw new Error('The encoder is not open.');
    const embeddings = await encoder.embedBatch(group.map(({ ids }) => ids));
    reply({
      kind: 'embeddings',
      texts: group.map(({ id }, at) => ({ id, embedding: embeddings[at] as Float32Array })),
    });
  } catch (error) {
    // The text that cannot be read must not take the others with it.
    if (group.length > 1) for (const text of group) await embed([text]);
    else
      reply({
        kind: 'refused',
        id: group[0]?.id ?? 0,
        message: error instanceof Error ? error.message : String(error),
      });
  }
}

function reply(message: EncoderReply): void {
  if (process.connected) process.send?.(message);
}
