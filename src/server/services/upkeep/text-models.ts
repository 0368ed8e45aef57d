/** The text models by which types may be read: listed, added from a folder after a trial, removed. */
import { mkdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ownTextModelNameSchema } from '../../../engine/domain/training.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { limits } from '../../../engine/limits.ts';
import { toEncoderInput } from '../../../engine/text/encoder-input.ts';
import { toFolderPaths } from '../../data-folder/folder.ts';
import { toInvalidValue, toValidationError } from '../../errors/validation-error.ts';
import type { Foundation } from '../../foundation.ts';
import { sha256 } from '../../process/clock.ts';
import { renameDurably } from '../../process/durable-file.ts';
import { hostTextModel } from '../../runtime/encoder/encoder-host.ts';
import { type GivenModel, readGivenModel, refuseFolder } from '../../runtime/encoder/given-model.ts';
import { openOwnTextModel, type TextModel } from '../../runtime/encoder/text-model.ts';
import { listLostTypes } from '../../runtime/upgrade-check.ts';

/** Most that a component of an embedding may differ from the one that its author has. */
const maxGoldenDifference = 1e-3;
/** Most that it may differ alone and among longer texts, and a length from 1. */
const maxDifference = 1e-4;
const maxOwnModels = 10;
/** Near enough in length to be embedded together, with the short one filled up. */
const [shortText, longerText] = ['yes', 'yes or no'];
const maxQuoted = 60;

/**
 * Adds the text model of a folder under a name of its own, after it has embedded a few texts. Throws
 * `validation_error` about the folder or the name, `conflict` (taken, too many) or `unavailable` (it cannot be run).
 */
export async function addTextModel(
  deps: Foundation,
  folder: string,
  name = toName(folder),
): Promise<{ model: TextModel; notes: string[] }> {
  const { runtime } = deps;
  const problem = ownTextModelNameSchema.safeParse(name).error?.issues[0]?.message;
  if (problem !== undefined) throw toValidationError([toInvalidValue(['body', 'name'], problem)]);
  const own = runtime.textModels.filter(({ model }) => model.isOwn);
  if (own.some(({ model }) => model.name === name)) {
    throw new WorkbenchError('conflict', `There is a text model "${name}" already. Remove it first, or choose a name.`);
  }
  if (own.length >= maxOwnModels) {
    throw new WorkbenchError('conflict', `At most ${maxOwnModels} text models are kept. Remove one first.`);
  }
  const given = await readGivenModel(folder);
  const [encoderSha256, tokenizerSha256] = [given.encoder, given.tokenizer.bytes].map(sha256);
  const same = runtime.textModels.find(
    ({ model }) => model.tokenizerSha256 === tokenizerSha256 && model.encoderSha256 === encoderSha256,
  );
  if (same !== undefined) throw new WorkbenchError('conflict', `It is there already, as "${same.model.name}".`);
  const { textModels: ownDir } = toFolderPaths(deps.options.dataDir);
  const part = path.join(ownDir, `${name}.part`);
  const removePart = () => rmSync(part, { recursive: true, force: true });
  // The remains of an earlier try that was cut off.
  removePart();
  try {
    await writeModel(part, name, given);
    await tryModel(deps, openOwnTextModel(ownDir, path.basename(part)), given);
    renameDurably(part, path.join(ownDir, name));
  } catch (error) {
    removePart();
    throw error;
  }
  const model = openOwnTextModel(ownDir, name);
  runtime.textModels.push(hostTextModel(deps.options, model));
  return { model, notes: given.notes };
}

/** Removes a text model of the user's; throws `not_found`, or `conflict` where a deployed policy reads by it. */
export async function removeTextModel(deps: Foundation, name: string): Promise<void> {
  const { runtime, options, db } = deps;
  const found = runtime.textModels.find(({ model }) => model.isOwn && model.name === name);
  if (found === undefined) throw new WorkbenchError('not_found', 'There is no text model of this name that you added.');
  const { artifacts, textModels: ownDir } = toFolderPaths(options.dataDir);
  const models = runtime.textModels.map(({ model }) => model);
  const lostAlready = listLostTypes(db, artifacts, models);
  const remaining = models.filter((model) => model !== found.model);
  const types = listLostTypes(db, artifacts, remaining).filter((type) => !lostAlready.includes(type));
  if (types.length > 0) {
    const named = types.map((type) => `"${type}"`).join(', ');
    throw new WorkbenchError('conflict', `The text model decides for ${named}. Deploy other policies there first.`);
  }
  runtime.textModels.splice(runtime.textModels.indexOf(found), 1);
  await found.host.close();
  rmSync(path.join(ownDir, name), { recursive: true, force: true });
}

/** A folder's name as that of a text model: "My E5 (small)" is my-e5-small. */
const toName = (folder: string) =>
  path
    .basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 40);

async function writeModel(
  folder: string,
  name: string,
  { facts, encoder, tokenizer, license, notice }: GivenModel,
): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const origin = `${facts.base_model}, added by the user as the text model "${name}". Its licence follows.\n`;
  const files = {
    'encoder.onnx': encoder,
    'tokenizer.json': tokenizer.bytes,
    LICENSE: license,
    NOTICE: notice ?? Buffer.from(origin),
    'encoder.json': Buffer.from(`${JSON.stringify(facts, null, 2)}\n`),
  };
  for (const [file, bytes] of Object.entries(files)) {
    // Decisions go on meanwhile: of a large graph this takes a second.
    await writeFile(path.join(folder, file), bytes, { mode: 0o600, flush: true });
  }
}

/** Embeds texts alone and together; refuses a model whose answers are none, or not those of its author. */
async function tryModel(deps: Foundation, model: TextModel, { facts, golden, tokenizer }: GivenModel): Promise<void> {
  const { host } = hostTextModel(deps.options, model);
  const embed = (text: string) => {
    const ids = tokenizer.tokenizer.encode(text);
    return host.encoder.embed(toEncoderInput(ids, limits.maxEncoderTokens, facts.frame).ids);
  };
  try {
    await host.start();
    // The first is sent alone; what waits meanwhile comes together.
    const [alone, together] = await Promise.all([embed(shortText), embed(shortText), embed(longerText)]);
    const length = Math.hypot(...alone);
    if (!(Math.abs(length - 1) <= maxDifference)) {
      throw refuseFolder(
        `has a graph whose embeddings have the length ${length}; end it with a division by the length`,
      );
    }
    if (!(findDifference(alone, together) <= maxDifference)) {
      throw refuseFolder('has a graph that embeds a short text differently beside a longer one; it must heed the mask');
    }
    for (const { text, embedding } of golden) {
      if (findDifference(await embed(text), embedding) <= maxGoldenDifference) continue;
      throw refuseFolder(`does not embed ${JSON.stringify(text.slice(0, maxQuoted))} as its golden.json says`);
    }
  } catch (cause) {
    if (!(cause instanceof WorkbenchError) || cause.code !== 'unavailable') throw cause;
    throw refuseFolder(`has a graph that cannot be run here (${cause.message})`, cause);
  } finally {
    await host.close();
  }
}

/** The largest difference of two components; infinite where the lengths differ. */
const findDifference = (a: Float32Array, b: ArrayLike<number>) =>
  a.length === b.length
    ? a.reduce((most, component, at) => Math.max(most, Math.abs(component - (b[at] ?? 0))), 0)
    : Infinity;
