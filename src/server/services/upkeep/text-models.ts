/** The text models by which types may be read: listed, added from a folder after a trial, removed. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import { nextTurn } from '../../../door/turns.ts';
import { ownTextModelNameSchema } from '../../../engine/domain/training.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { type Caller, toCallerId } from '../../auth/caller.ts';
import { toFolderPaths } from '../../data-folder/folder.ts';
import type { Foundation } from '../../foundation.ts';
import type { StagedTextModel } from '../../preparation/stage-text-model.ts';
import { renameDurably } from '../../process/durable-file.ts';
import { artifactPath } from '../../runtime/deployed-deciders.ts';
import { hostTextModel } from '../../runtime/encoder/encoder-host.ts';
import { refuseFolder } from '../../runtime/encoder/given-model.ts';
import { openOwnTextModel, type TextModel } from '../../runtime/encoder/text-model.ts';
import { isLost } from '../../runtime/upgrade-check.ts';

/** Largest allowed difference from the author's embedding, per component. */
const maxGoldenDifference = 1e-3;
/** Largest allowed difference alone and among longer texts, and of a length from 1. */
const maxDifference = 1e-4;
const maxOwnModels = 10;
const maxNamedReaders = 5;
/**
 * Adds the text model of a folder under a name of its own, after it has embedded a few texts. Throws
 * `validation_error` about the folder or the name, `conflict` (taken, too many) or `unavailable` (it cannot be run).
 */
export async function addTextModel(
  deps: Foundation,
  caller: Caller,
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
  if (runtime.addedTextModel !== null) {
    const waiting = `The text model "${runtime.addedTextModel}" is being added. Add this one when it is there.`;
    throw new WorkbenchError('conflict', waiting);
  }
  runtime.addedTextModel = name;
  try {
    return await takeFolder(deps, caller, folder, name);
  } finally {
    runtime.addedTextModel = null;
  }
}

async function takeFolder(deps: Foundation, caller: Caller, folder: string, name: string) {
  const { runtime } = deps;
  const { textModels: ownDir } = toFolderPaths(deps.options.dataDir);
  const part = path.join(ownDir, `${name}.part`);
  const removePart = () => rmSync(part, { recursive: true, force: true });
  // The remains of an earlier try that was cut off.
  removePart();
  try {
    const staged = await deps.preparation.runAdmitted(toCallerId(caller), 'stageTextModel', { folder, part, name });
    const same = runtime.textModels.find(
      ({ model }) => model.tokenizerSha256 === staged.tokenizerSha256 && model.encoderSha256 === staged.encoderSha256,
    );
    if (same !== undefined) throw new WorkbenchError('conflict', `It is there already, as "${same.model.name}".`);
    await tryModel(deps, openOwnTextModel(ownDir, path.basename(part), staged), staged);
    renameDurably(part, path.join(ownDir, name));
    const model = openOwnTextModel(ownDir, name, staged);
    runtime.textModels.push(hostTextModel(deps.options, model));
    return { model, notes: staged.notes };
  } catch (error) {
    removePart();
    throw error;
  }
}

/**
 * Removes a text model of the user's. Throws `not_found`, or `conflict` where a release reads by it: what decides, what
 * an alias or a number names, and what can be brought back; or where a training may come to read by it.
 */
export async function removeTextModel(deps: Foundation, name: string): Promise<void> {
  const { runtime, options } = deps;
  const found = runtime.textModels.find(({ model }) => model.isOwn && model.name === name);
  if (found === undefined) throw new WorkbenchError('not_found', 'There is no text model of this name that you added.');
  const { artifacts, textModels: ownDir } = toFolderPaths(options.dataDir);
  const models = runtime.textModels.map(({ model }) => model);
  const remaining = models.filter((model) => model !== found.model);
  const readers: string[] = [];
  for (const { policyId, bundleSha256, typeName, release } of deps.store.releases.listReleasedPolicies()) {
    await nextTurn();
    const file = artifactPath(artifacts, policyId);
    if (!isLost(file, bundleSha256, remaining) || isLost(file, bundleSha256, models)) continue;
    readers.push(`"${typeName}" (release ${release})`);
  }
  if (readers.length > 0) {
    const named = readers.slice(0, maxNamedReaders).join(', ');
    const more = readers.length > maxNamedReaders ? ` and ${readers.length - maxNamedReaders} more` : '';
    throw new WorkbenchError(
      'conflict',
      `Releases decide by the text model, or can be brought back: of ${named}${more}. It goes when those decision types are deleted.`,
    );
  }
  if (deps.store.policies.listInProgress().length > 0) {
    throw new WorkbenchError(
      'conflict',
      'A training that may read by it is in progress or waits. Let it end or cancel it.',
    );
  }
  const at = runtime.textModels.indexOf(found);
  if (at < 0) throw new WorkbenchError('not_found', 'The text model was removed meanwhile.');
  runtime.textModels.splice(at, 1);
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

/** Embeds texts alone and together; refuses a model whose answers are not numbers, or not those of its author. */
async function tryModel(
  deps: Foundation,
  model: TextModel,
  { facts, golden, shortText, longerText, maxId }: StagedTextModel,
): Promise<void> {
  // Without a memory of texts, so that the same one can be embedded twice.
  const { host } = hostTextModel(deps.options, model, 0);
  const embed = (ids: readonly number[]) => host.encoder.embed(ids);
  try {
    await host.start();
    const alone = await embed(shortText);
    // The first is sent alone; what waits meanwhile comes together.
    const others = [shortText.concat(shortText), shortText, longerText].map(embed);
    const [, together = alone] = await Promise.all(others);
    if (alone.length !== facts.dimensions) {
      throw refuseFolder(
        `has a graph whose embeddings have ${alone.length} numbers, and encoder.json says ${facts.dimensions}`,
      );
    }
    const length = Math.hypot(...alone);
    if (!(Math.abs(length - 1) <= maxDifference)) {
      throw refuseFolder(
        `has a graph whose embeddings have the length ${length}; end it with a division by the length`,
      );
    }
    if (!(findDifference(alone, together) <= maxDifference)) {
      throw refuseFolder('has a graph that embeds a short text differently beside a longer one; it must heed the mask');
    }
    await embed(shortText.toSpliced(1, 0, maxId)).catch((cause: unknown) => {
      throw refuseFolder(`has a tokenizer.json with the id ${maxId}, which its graph does not know`, cause);
    });
    for (const { text, ids, embedding } of golden) {
      if (findDifference(await embed(ids), embedding) <= maxGoldenDifference) continue;
      throw refuseFolder(`does not embed ${JSON.stringify(text)} as its golden.json says`);
    }
  } catch (cause) {
    if (!(cause instanceof WorkbenchError) || cause.code !== 'unavailable') throw cause;
    throw refuseFolder('has a graph that cannot be run here: it needs what is not there, or never ends', cause);
  } finally {
    await host.close();
  }
}

/** The largest difference of two components; infinite where the lengths differ. */
const findDifference = (a: Float32Array, b: ArrayLike<number>) =>
  a.length === b.length
    ? a.reduce((most, component, at) => Math.max(most, Math.abs(component - (b[at] ?? 0))), 0)
    : Infinity;
