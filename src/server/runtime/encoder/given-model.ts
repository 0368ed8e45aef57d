/** A text model that a user gives as a folder: read, checked as far as its files go, and described as ours are. */
import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { toInvalidValue } from '../../../door/errors/validation-error.ts';
import { bundleLimits } from '../../../engine/bundle/manifest.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { frameSchema } from '../../../engine/features/plan.ts';
import { isJsonObject, type JsonObject } from '../../../engine/json.ts';
import { limits } from '../../../engine/limits.ts';
import { type EncoderFacts, encoderFacts } from '../../../engine/onnx/encoder-facts.ts';
import { readInterface } from '../../../engine/onnx/graph.ts';
import { OnnxError } from '../../../engine/onnx/protobuf.ts';
import { createTokenizer, type Tokenizer } from '../../../engine/text/tokenizer.ts';
import { sha256 } from '../../process/clock.ts';

/** Beside the graph and the tokenizer, which are as large as a bundle takes. */
const maxOtherBytes = 16 * 2 ** 20;
const maxGoldenTexts = 1_000;
const maxGoldenLength = 4_096;
const licenseName = /^(licen[cs]e|copying)(\.(txt|md))?$/i;
const readmeName = /^readme(\.(txt|md))?$/i;
const namesLicense = /licen[cs]e|\b(mit|apache|bsd|mpl|cc[- ]by)\b/i;

/** `encoder.json` as a user may write it; what it leaves out is found in the other files. */
const givenFacts = z.looseObject({
  base_model: z.string().min(1).max(200).optional(),
  dimensions: encoderFacts.options[1].shape.dimensions.optional(),
  languages: encoderFacts.options[1].shape.languages.optional(),
  /** The text that the model wants before each text, such as "query: ". */
  prefix: z.string().max(100).optional(),
  frame: frameSchema.optional(),
});
const goldenTexts = z
  .array(
    z.object({
      text: z.string().max(limits.maxTextCharacters),
      embedding: z.array(z.number()).min(1).max(maxGoldenLength),
    }),
  )
  .min(1)
  .max(maxGoldenTexts);

export type GivenModel = Awaited<ReturnType<typeof readGivenModel>>;

/**
 * Reads `encoder.onnx`, `tokenizer.json`, the licence and, where they are there, `encoder.json`, `golden.json`,
 * `NOTICE` and `SHA256SUMS`. Throws `validation_error` about the folder that names the file and the remedy.
 */
export async function readGivenModel(folder: string) {
  if (!path.isAbsolute(folder)) throw refuseFolder('must be an absolute path');
  const names = await readdir(folder).catch((cause: unknown) => {
    throw refuseFolder('is not a readable folder', cause);
  });
  const read = (name: string, maxBytes = maxOtherBytes) => readWithin(path.join(folder, name), maxBytes);
  const find = (name: string, maxBytes?: number) => (names.includes(name) ? read(name, maxBytes) : null);
  const encoder = await find('encoder.onnx', bundleLimits.maxEncoderBytes);
  const tokenizerBytes = await find('tokenizer.json', bundleLimits.maxTokenizerBytes);
  if (encoder === null || tokenizerBytes === null) {
    throw refuseFolder(`has no ${encoder === null ? 'encoder.onnx' : 'tokenizer.json'}; both files must be in it`);
  }
  const sums = await find('SHA256SUMS');
  if (sums !== null) checkSums(decode(sums), { 'encoder.onnx': encoder, 'tokenizer.json': tokenizerBytes });
  const given = parse('encoder.json', (await find('encoder.json')) ?? Buffer.from('{}'), givenFacts);
  const unknownKeys = Object.keys(given).filter((key) => !Object.hasOwn(givenFacts.shape, key));
  const tokenizerFile = parse(
    'tokenizer.json',
    tokenizerBytes,
    z.custom<JsonObject>(isJsonObject, 'must be an object'),
  );
  const tokenizer = openTokenizer(tokenizerFile);
  const golden = await find('golden.json');
  const license = await findLicense(names, read);
  const baseModel = given.base_model ?? path.basename(folder);
  return {
    facts: {
      kind: 'plain',
      base_model: baseModel,
      dimensions: readDimensions(encoder, given.dimensions),
      languages: given.languages ?? [],
      frame: given.frame ?? findFrame(tokenizerFile, tokenizer.encode(given.prefix ?? '')),
    } satisfies EncoderFacts,
    encoder,
    tokenizer: { bytes: tokenizerBytes, tokenizer, maxId: findMaxId(tokenizerFile) },
    license: license.bytes,
    notice: await find('NOTICE'),
    /** Texts with the embeddings that the model's author has of them; none where the folder has no `golden.json`. */
    golden: golden === null ? [] : parse('golden.json', golden, goldenTexts),
    /** Sentences on all that was guessed or could not be checked. */
    notes: [
      ...unknownKeys.map((key) => `encoder.json has ${JSON.stringify(key.slice(0, 40))}, which is not read.`),
      ...(given.base_model === undefined ? [`It is called ${baseModel} in model cards, as its folder is.`] : []),
      ...(given.languages === undefined ? ['Its languages are not known, so it is tried on texts in any.'] : []),
      ...(license.isReadme ? [`There is no file LICENSE: ${license.name} goes into bundles in its place.`] : []),
      ...(golden === null ? ['There is no golden.json, so nobody checked that it embeds as its author meant.'] : []),
    ],
  };
}

/** Says what about the folder is wrong, with the remedy: "has no LICENSE; …". */
export function refuseFolder(msg: string, cause?: unknown): WorkbenchError {
  const problem = toInvalidValue(['body', 'folder'], msg);
  return new WorkbenchError('validation_error', 'The text model was not added.', [problem], { cause });
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

async function readWithin(file: string, maxBytes: number): Promise<Buffer> {
  const name = path.basename(file);
  try {
    // Through a link the text of any file could go into bundles.
    const found = await lstat(file);
    if (found.isSymbolicLink()) throw refuseFolder(`has a ${name} that is a link; put the file itself there (cp -L)`);
    if (!found.isFile()) throw refuseFolder(`has a ${name} that is no file`);
    const { size } = found;
    if (size > maxBytes) throw refuseFolder(`has a ${name} of ${toMb(size)} MB; at most ${toMb(maxBytes)} MB are read`);
    return await readFile(file);
  } catch (cause) {
    if (cause instanceof WorkbenchError) throw cause;
    throw refuseFolder(`has a ${name} that cannot be read`, cause);
  }
}

const toMb = (bytes: number) => Math.ceil(bytes / 2 ** 20);

function parse<T>(name: string, bytes: Uint8Array, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(decode(bytes));
  } catch (cause) {
    throw refuseFolder(`has a ${name} that is no JSON`, cause);
  }
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const [issue] = error.issues;
  throw refuseFolder(`has a ${name} that is not as it should be (${issue?.path.join('.')}: ${issue?.message})`, error);
}

/** Compares files with their lines of `SHA256SUMS`. */
function checkSums(sums: string, files: Readonly<Record<string, Uint8Array>>): void {
  for (const line of sums.split('\n')) {
    const [, digest, name = ''] = /^([0-9a-f]{64}) [ *](?:\.\/)?(.+)$/.exec(line.trim()) ?? [];
    const bytes = files[name];
    if (bytes !== undefined && sha256(bytes) !== digest) {
      throw refuseFolder(`has a damaged ${name}: its digest is not that of SHA256SUMS. Get it again`);
    }
  }
}

function openTokenizer(file: JsonObject): Tokenizer {
  try {
    return createTokenizer(file);
  } catch (cause) {
    const issue = cause instanceof z.ZodError ? cause.issues[0] : undefined;
    const where = issue === undefined ? String(cause) : `${issue.path.join('.')}: ${issue.message}`;
    throw refuseFolder(
      `has a tokenizer.json of another kind than WordPiece (as a lower-casing BERT has it) or Unigram (SentencePiece), which bundles are read by (${where})`,
      cause,
    );
  }
}

/** The greatest id that a text may become: the graph has to know it. */
function findMaxId({ model, added_tokens: added }: JsonObject): number {
  const vocab = isJsonObject(model) ? model.vocab : null;
  const ids = Array.isArray(vocab) ? [vocab.length - 1] : isJsonObject(vocab) ? Object.values(vocab) : [];
  const special = Array.isArray(added) ? added.map((token) => (isJsonObject(token) ? token['id'] : 0)) : [];
  return [...ids, ...special].reduce<number>((most, id) => Math.max(most, Number(id)), 0);
}

/** The length of an embedding; refuses a graph that is fed or answers in another way. */
function readDimensions(encoder: Uint8Array, given: number | undefined): number {
  const wanted = 'it must read input_ids and attention_mask and give sentence_embedding, of length 1';
  const { inputs, outputs, isExternal } = readGraph(encoder);
  const foreign = inputs.find((name) => name !== 'input_ids' && name !== 'attention_mask');
  if (foreign !== undefined) throw refuseFolder(`has a graph with the input ${foreign}; ${wanted}`);
  const width = outputs.get('sentence_embedding');
  if (width === undefined) {
    throw refuseFolder(`has a graph that gives ${[...outputs.keys()].slice(0, 3).join(', ') || 'nothing'}; ${wanted}`);
  }
  if (isExternal) throw refuseFolder('has a graph whose weights lie in another file; save the model as one file');
  const dimensions = given ?? width;
  if (dimensions !== null) return dimensions;
  throw refuseFolder('has a graph that does not say how long an embedding is; write "dimensions" into encoder.json');
}

function readGraph(encoder: Uint8Array) {
  try {
    return readInterface(encoder);
  } catch (cause) {
    if (!(cause instanceof OnnxError)) throw cause;
    throw refuseFolder('has an encoder.onnx that is no ONNX file', cause);
  }
}

const templatePart = z.union([
  z.object({ SpecialToken: z.object({ id: z.string() }) }),
  z.object({ Sequence: z.unknown() }),
]);
const template = z.object({
  type: z.literal('TemplateProcessing'),
  single: z.array(templatePart),
  special_tokens: z.record(z.string(), z.object({ ids: z.array(z.int().nonnegative()) })),
});

/** The ids around a text: those that `tokenizer.json` sets there, and behind the first ones those of the prefix. */
function findFrame(tokenizerFile: JsonObject, prefix: readonly number[]): number[] {
  const { data } = template.safeParse(tokenizerFile['post_processor']);
  const textAt = data?.single.findIndex((part) => 'Sequence' in part) ?? -1;
  const listIds = (parts: z.infer<typeof template>['single']) =>
    parts.flatMap((part) => ('SpecialToken' in part ? (data?.special_tokens[part.SpecialToken.id]?.ids ?? []) : []));
  const before = listIds(data?.single.slice(0, textAt) ?? []);
  const after = listIds(data?.single.slice(textAt + 1) ?? []);
  const { data: frame, success } = frameSchema.safeParse([...before, ...prefix, ...after]);
  if (success && before.length > 0 && after.length === 1) return frame;
  throw refuseFolder(
    'has a tokenizer.json that does not say which tokens stand around a text; write them as "frame" into encoder.json, the last for behind it',
  );
}

async function findLicense(names: readonly string[], read: (name: string) => Promise<Buffer>) {
  const name = names.find((each) => licenseName.test(each));
  if (name !== undefined) return { name, bytes: await read(name), isReadme: false };
  const readme = names.find((each) => readmeName.test(each));
  const bytes = readme === undefined ? null : await read(readme);
  if (readme !== undefined && bytes !== null && namesLicense.test(decode(bytes))) {
    return { name: readme, bytes, isReadme: true };
  }
  throw refuseFolder('has no file LICENSE; put the text of its licence there, which goes into bundles with the model');
}
