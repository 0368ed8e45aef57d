/** The text models of the program: their files on disk, their digests, and the tokenizers made from them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Bundle } from '../../../engine/bundle/bundle.ts';
import { ownTextModelNameSchema, type ProgramTextModel, programTextModels } from '../../../engine/domain/training.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { needsTokenizer } from '../../../engine/features/plan.ts';
import type { JsonObject } from '../../../engine/json.ts';
import { type EncoderFacts, encoderFacts } from '../../../engine/onnx/encoder-facts.ts';
import { createTokenizer, type Tokenizer } from '../../../engine/text/tokenizer.ts';
import { sha256 } from '../../process/clock.ts';
import { findProgramFolder } from '../../process/program-folder.ts';
import { readFacts } from './read-facts.ts';

/**
 * The folders of the text models, by the names under which a training chooses them. An installed program finds them as
 * packages of their own, `decision-workbench-<name>`, beside itself.
 */
const folders: Record<ProgramTextModel, string> = { english: 'all-MiniLM-L6-v2', fast: 'use-multilingual-v3' };

export type TextModel = {
  /** As a training names it. */
  readonly name: string;
  /** Whether the user added it to the data folder. */
  readonly isOwn: boolean;
  readonly encoderPath: string;
  readonly tokenizerPath: string;
  /** Where the model is from, and the text of its licence. */
  readonly noticePath: string;
  readonly licensePath: string;
  /** The graph by whose steps the encoder is tuned; without the file it stays as it is. */
  readonly tuningGraphPath: string;
  readonly encoderSha256: string;
  readonly tokenizerSha256: string;
  readonly facts: EncoderFacts;
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

/** The part of a text model that a bundle needs and that is not installed; null where it can decide. */
export function findForeignPart(
  { manifest: { text }, plan }: Pick<Bundle, 'manifest' | 'plan'>,
  textModels: readonly TextModel[],
): 'tokenizer' | 'text encoder' | null {
  if (text === null || !needsTokenizer(plan)) return null;
  const textModel = findReader(text, textModels);
  if (textModel === undefined) return 'tokenizer';
  return plan.text?.encoder && text.encoder_sha256 !== textModel.encoderSha256 ? 'text encoder' : null;
}

/** The text model by whose tokenizer a policy reads, with its encoder where several have that tokenizer. */
export function findReader(
  { tokenizer_sha256, encoder_sha256 }: NonNullable<Bundle['manifest']['text']>,
  textModels: readonly TextModel[],
): TextModel | undefined {
  const reads = ({ tokenizerSha256 }: TextModel) => tokenizerSha256 === tokenizer_sha256;
  const first = textModels.find(reads);
  // Built-in models have distinct tokenizers; files of other models are not read needlessly.
  if (first === undefined || encoder_sha256 === null || !textModels.some(({ isOwn }) => isOwn)) return first;
  if (first.encoderSha256 === encoder_sha256) return first;
  return textModels.find((model) => reads(model) && model.encoderSha256 === encoder_sha256) ?? first;
}

const programResources = () => join(findProgramFolder(import.meta.dirname), 'resources');

/** Describes all text models of `<resourcesDir>`, then those of `<ownDir>`, as {@link openTextModel} does. */
export const openTextModels = (resourcesDir?: string, ownDir?: string): TextModel[] => [
  ...programTextModels.map((name) => openTextModel(resourcesDir, name)),
  ...(ownDir === undefined ? [] : listOwnNames(ownDir).map((name) => openOwnTextModel(ownDir, name))),
];

/** The names of the user's own text models; nothing where there is no folder of them. */
function listOwnNames(ownDir: string): string[] {
  try {
    return readdirSync(ownDir)
      .filter((name) => ownTextModelNameSchema.safeParse(name).success)
      .sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Describes a text model of `<resourcesDir>`; reading a part that is missing throws `unavailable`. */
export const openTextModel = (resourcesDir = programResources(), name: ProgramTextModel = 'english'): TextModel =>
  describeFolder(findModelFolder(resourcesDir, name), name, false);

/** The folders where Node would look for a package, the nearest first. */
const listPackageFolders = (name: string): string[] =>
  (createRequire(import.meta.url).resolve.paths(name) ?? []).map((place) => join(place, name));

function findModelFolder(resourcesDir: string, name: ProgramTextModel): string {
  const folder = join(resourcesDir, 'models', folders[name]);
  if (existsSync(folder)) return folder;
  const [beside] = listPackageFolders(`decision-workbench-${name}`).filter(existsSync);
  return beside ?? folder;
}

type Digests = Pick<TextModel, 'encoderSha256' | 'tokenizerSha256'>;

/** Describes a text model that the user added, as {@link openTextModel} does; `known` spares reading large files. */
export const openOwnTextModel = (ownDir: string, name: string, known?: Digests): TextModel =>
  describeFolder(join(ownDir, name), name, true, known);

/** Whether the files are there that texts are read by. */
export const isInstalled = ({ encoderPath, tokenizerPath }: TextModel): boolean =>
  existsSync(encoderPath) && existsSync(tokenizerPath);

function describeFolder(folder: string, name: string, isOwn: boolean, known?: Digests): TextModel {
  const encoderPath = join(folder, 'encoder.onnx');
  const tokenizerPath = join(folder, 'tokenizer.json');
  const facts = once(() => readFacts(encoderPath, encoderFacts));
  // An added one that has lost a file reads nothing, and keeps no other from being found.
  const digest = (file: string, part: 'text encoder' | 'tokenizer') =>
    isOwn && !existsSync(file) ? '' : sha256(readPart(file, part));
  const encoderSha256 = once(() => known?.encoderSha256 ?? digest(encoderPath, 'text encoder'));
  const tokenizerSha256 = once(() => known?.tokenizerSha256 ?? digest(tokenizerPath, 'tokenizer'));
  const tokenizer = once(() =>
    createTokenizer(JSON.parse(readPart(tokenizerPath, 'tokenizer').toString('utf8')) as JsonObject),
  );
  return {
    name,
    isOwn,
    encoderPath,
    tokenizerPath,
    noticePath: join(folder, 'NOTICE'),
    licensePath: join(folder, 'LICENSE'),
    tuningGraphPath: join(folder, 'encoder-training-step.onnx'),
    get facts() {
      return facts();
    },
    get encoderSha256() {
      return encoderSha256();
    },
    get tokenizerSha256() {
      return tokenizerSha256();
    },
    tokenizer,
  };
}
