/** The embedded text model: its files on disk, their digests, and the tokenizer made from them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../engine/domain.ts';
import { createTokenizer, type Tokenizer } from '../../engine/text/tokenizer.ts';
import { sha256 } from '../process/clock.ts';

export type TextModel = {
  readonly encoderPath: string;
  readonly tokenizerPath: string;
  readonly encoderSha256: string;
  readonly tokenizerSha256: string;
  tokenizer(): Tokenizer;
};

/** The `resources` folder of the program, from source and from a build. */
function defaultResourcesDir(moduleUrl: string = import.meta.url): string {
  return fileURLToPath(new URL(moduleUrl.endsWith('.ts') ? '../../../resources' : '../../resources', moduleUrl));
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Describes the text model in `<resourcesDir>/models/all-MiniLM-L6-v2`. Nothing is read before it is asked for. */
export function openTextModel(resourcesDir: string = defaultResourcesDir()): TextModel {
  const folder = join(resourcesDir, 'models', 'all-MiniLM-L6-v2');
  const encoderPath = join(folder, 'encoder.int8.onnx');
  const tokenizerPath = join(folder, 'tokenizer.json');
  const encoderSha256 = once(() => sha256(readFileSync(encoderPath)));
  const tokenizerSha256 = once(() => sha256(readFileSync(tokenizerPath)));
  const tokenizer = once(() => createTokenizer(JSON.parse(readFileSync(tokenizerPath, 'utf8')) as JsonObject));
  return {
    encoderPath,
    tokenizerPath,
    get encoderSha256() {
      return encoderSha256();
    },
    get tokenizerSha256() {
      return tokenizerSha256();
    },
    tokenizer,
  };
}
