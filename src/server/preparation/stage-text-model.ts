/** A text model's folder, read and checked in a child process, and copied to where it is tried. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { limits } from '../../engine/limits.ts';
import { toEncoderInput } from '../../engine/text/encoder-input.ts';
import { sha256 } from '../process/clock.ts';
import { type GivenModel, readGivenModel } from '../runtime/encoder/given-model.ts';

/** A checked folder: what is said of it, and the tokens of the texts by which its graph is tried. */
export type StagedTextModel = Awaited<ReturnType<typeof stageTextModel>>;

/** Near enough in length to be embedded together, with the short one filled up. */
const [shortText, longerText] = ['yes', 'yes or no'];
const maxQuoted = 60;

/** Reads the folder of a text model and writes it to `part`; throws as `readGivenModel`. */
export async function stageTextModel(order: { folder: string; part: string; name: string }) {
  const given = await readGivenModel(order.folder);
  await writeModel(order.part, order.name, given);
  const { facts, notes, tokenizer, encoder, golden } = given;
  const toIds = (text: string) =>
    toEncoderInput(tokenizer.tokenizer.encode(text), limits.maxEncoderTokens, facts.frame).ids;
  return {
    facts,
    notes,
    encoderSha256: sha256(encoder),
    tokenizerSha256: sha256(tokenizer.bytes),
    maxId: tokenizer.maxId,
    shortText: toIds(shortText),
    longerText: toIds(longerText),
    golden: golden.map(({ text, embedding }) => ({ text: text.slice(0, maxQuoted), ids: toIds(text), embedding })),
  };
}

async function writeModel(
  folder: string,
  name: string,
  { facts, encoder, tokenizer, license, notice }: GivenModel,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const origin = `${facts.base_model}, added by the user as the text model "${name}". Its licence follows.\n`;
  const files = {
    'encoder.onnx': encoder,
    'tokenizer.json': tokenizer.bytes,
    LICENSE: license,
    NOTICE: notice ?? Buffer.from(origin),
    'encoder.json': Buffer.from(`${JSON.stringify(facts, null, 2)}\n`),
  };
  for (const [file, bytes] of Object.entries(files))
    await writeFile(path.join(folder, file), bytes, { mode: 0o600, flush: true });
}
