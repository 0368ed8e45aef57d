/** The embedded text model: its files on disk, their digests, and the tokenizer made from them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bundle } from '../../../engine/bundle/bundle.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { createTokenizer, type Tokenizer } from '../../../engine/text/tokenizer.ts';
import { sha256 } from '../../process/clock.ts';
import { findProgramFolder } from '../../process/program-folder.ts';

export type TextModel = {
  readonly encoderPath: string;
  readonly tokenizerPath: string;
  readonly licensePath: string;
  /** The graph by whose steps the encoder is tuned; without the file it stays as it is. */
  readonly tuningGraphPath: string;
  readonly encoderSha256: string;
  readonly tokenizerSha256: string;
  tokenizer(): Tokenizer;
};

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Says that a part of the text model is not there; the place of the file is for the log alone. */
export function toMissingPart(
  part: 'text encoder' | 'tokenizer' | "text model's licence",
  cause: unknown,
): WorkbenchError {
  const message = `The file of the ${part} cannot be read. Put it back, or install the program again.`;
  return new WorkbenchError('unavailable', message, undefined, { cause });
}

function readPart(file: string, part: 'text encoder' | 'tokenizer'): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw toMissingPart(part, cause);
  }
}

/** The part of the text model of which a bundle needs another one than the installed; null where it fits. */
export function findForeignPart(
  { manifest: { text }, plan }: Pick<Bundle, 'manifest' | 'plan'>,
  textModel: TextModel,
): 'tokenizer' | 'text encoder' | null {
  if (text === null) return null;
  if (text.tokenizer_sha256 !== textModel.tokenizerSha256) return 'tokenizer';
  return plan.text?.encoder && text.encoder_sha256 !== textModel.encoderSha256 ? 'text encoder' : null;
}

/** Describes the text model of `<resourcesDir>`; reading a part that is missing throws `unavailable`. */
export function openTextModel(
  resourcesDir: string = join(findProgramFolder(import.meta.dirname), 'resources'),
): TextModel {
  const folder = join(resourcesDir, 'models', 'all-MiniLM-L6-v2');
  const encoderPath = join(folder, 'encoder.onnx');
  const tokenizerPath = join(folder, 'tokenizer.json');
  const encoderSha256 = once(() => sha256(readPart(encoderPath, 'text encoder')));
  const tokenizerSha256 = once(() => sha256(readPart(tokenizerPath, 'tokenizer')));
  const tokenizer = once(() =>
    createTokenizer(JSON.parse(readPart(tokenizerPath, 'tokenizer').toString('utf8')) as JsonObject),
  );
  return {
    encoderPath,
    tokenizerPath,
    licensePath: join(folder, 'LICENSE'),
    tuningGraphPath: join(folder, 'encoder-training-step.onnx'),
    get encoderSha256() {
      return encoderSha256();
    },
    get tokenizerSha256() {
      return tokenizerSha256();
    },
    tokenizer,
  };
}
