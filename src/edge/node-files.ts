/** Bundles and text models as files of this machine, and ONNX Runtime as it is installed beside the package. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidBundle, type LoadOptions, type OnnxRuntime, type TextModelFiles } from './api.ts';
import type { Platform } from './predictor.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Node as a predictor needs it. */
export const toPlatform = (textModel: TextModelFiles | null, runtime?: LoadOptions['runtime']): Platform => ({
  sha256,
  runtime,
  importRuntime,
  textModel,
});

/** Reads a file. Rejects with InvalidBundle where it cannot be read. */
export async function readBytes(place: string | URL): Promise<Uint8Array> {
  return readFile(place).catch((cause: Error) => {
    throw new InvalidBundle(`${place} cannot be read: ${cause.message}`, { cause });
  });
}

/** Reads the files of a text model out of its folder. Rejects with InvalidBundle where there is no tokenizer. */
export async function readTextModel(folder: string): Promise<TextModelFiles> {
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
