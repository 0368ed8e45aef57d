/** `decision-edge` for Node. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidBundle, type LoadOptions, type OnnxRuntime, type Predictor, type TextModelFiles } from './api.ts';
import { openPredictor } from './predictor.ts';

export type * from './api.ts';
export { InvalidBundle, InvalidInput, TextModelNeeded } from './api.ts';

/** As everywhere; the text model of a slim bundle may also be named by its folder. */
export type NodeLoadOptions = Omit<LoadOptions, 'textModel'> & { readonly textModel?: TextModelFiles | string };

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/**
 * Opens a bundle, a path or its bytes, which decides its golden inputs first. Rejects with InvalidBundle or
 * TextModelNeeded, whose message begins with the path.
 */
export async function loadBundle(
  bundle: string | URL | Uint8Array | ArrayBuffer,
  options: NodeLoadOptions = {},
): Promise<Predictor> {
  const { runtime, textModel } = options;
  const isPlace = typeof bundle === 'string' || bundle instanceof URL;
  const bytes = isPlace ? await readBytes(bundle) : bundle instanceof ArrayBuffer ? new Uint8Array(bundle) : bundle;
  try {
    return await openPredictor(bytes, {
      sha256,
      runtime,
      importRuntime,
      textModel: typeof textModel === 'string' ? await readTextModel(textModel) : (textModel ?? null),
    });
  } catch (error) {
    if (isPlace && error instanceof InvalidBundle) error.message = `${bundle}: ${error.message}`;
    throw error;
  }
}

async function readBytes(place: string | URL): Promise<Uint8Array> {
  return readFile(place).catch((cause: Error) => {
    throw new InvalidBundle(`${place} cannot be read: ${cause.message}`, { cause });
  });
}

async function readTextModel(folder: string): Promise<TextModelFiles> {
  const tokenizer = await readBytes(join(folder, 'tokenizer.json'));
  const encoder = await readFile(join(folder, 'encoder.onnx')).catch(() => undefined);
  return encoder === undefined ? { tokenizer } : { tokenizer, encoder };
}

async function importRuntime(): Promise<OnnxRuntime | null> {
  // From version 1.30 on ONNX Runtime sends events to its maker unless this is set before the first model is opened.
  process.env['ORT_DISABLE_TELEMETRY'] ??= '1';
  try {
    const { InferenceSession, Tensor } = await import('onnxruntime-node');
    return { InferenceSession, Tensor };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  }
}
