/** Entry of the encoder's own process: loads the model, answers one text at a time, ends when the parent is gone. */
import { setPriority } from 'node:os';
import type { TextEncoder } from '../../engine/ports.ts';
import { openEncoder, runtimeVersion } from './onnx-session.ts';

/** Parent to child. */
export type EncoderRequest =
  | { kind: 'open'; modelPath: string }
  | { kind: 'embed'; id: number; ids: readonly number[] };
/** Child to parent. */
export type EncoderReply =
  | { kind: 'ready'; runtime: string }
  | { kind: 'embedding'; id: number; embedding: Float32Array }
  | { kind: 'refused'; id: number; message: string };

/** Below the server, so that where cores are few, decisions without text do not wait behind texts. */
const niceness = 5;

process.once('disconnect', () => process.exit(0));
setPriority(niceness);

let encoder: TextEncoder | null = null;
/** Requests are worked off in the order of their arrival; each waits for the one before. */
let previous: Promise<void> = Promise.resolve();

process.on('message', (request: EncoderRequest) => {
  previous = previous.then(() => answer(request));
});

async function answer(request: EncoderRequest): Promise<void> {
  if (request.kind === 'open') {
    // A rejection ends the process: the parent sees its exit and tries again.
    encoder = await openEncoder(request.modelPath, '');
    reply({ kind: 'ready', runtime: runtimeVersion });
    return;
  }
  try {
    if (!encoder) throw new Error('The encoder is not open.');
    reply({ kind: 'embedding', id: request.id, embedding: await encoder.embed(request.ids) });
  } catch (error) {
    reply({ kind: 'refused', id: request.id, message: error instanceof Error ? error.message : String(error) });
  }
}

function reply(message: EncoderReply): void {
  if (process.connected) process.send?.(message);
}
