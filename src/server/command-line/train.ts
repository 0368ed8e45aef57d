/** `workbench train`: from a file, or the examples of a type, to a policy that was measured, and its bundle. */
import { setTimeout as wait } from 'node:timers/promises';
import { isInProgress, splitWays } from '../../engine/domain/training.ts';
import { ApiError, type Client } from '../contract/client.ts';
import type { InputOf } from '../contract/operations.ts';
import type { Progress } from '../contract/policies/training.ts';
import { findNamedFolder } from '../process/options.ts';
import {
  CommandError,
  commonOptions,
  defineCommand,
  endCodes,
  readDetail,
  readShare,
  refuse,
  type Surroundings,
  texts,
} from './command.ts';
import { isReached } from './decide.ts';
import { type FileSource, openSource } from './example-file.ts';
import { checkBundlePlace, writeBundle } from './export.ts';
import { importFile, importHelp, importOptions, toTypeName } from './import.ts';
import { findType, listTypes, requireDataDir, withWorkbench } from './with-workbench.ts';

const pollMs = 500;

type Config = NonNullable<InputOf<'training.start'>['body']>;
type PolicyParams = { decision_type_id: string; policy_id: string };

/** Reads a way to hold out examples, as `date:opened`. */
function readWay(text: string): NonNullable<Config['split']> {
  const [, word, field = null] = /^([a-z]+)(?::(.+))?$/.exec(text) ?? [];
  const by = splitWays.find((way) => way === word);
  if (by !== undefined && (by === 'random') === (field === null)) return { by, field };
  const message = `The flag --split takes random, date:FIELD, group:FIELD or column:FIELD, not "${text}".`;
  throw refuse(message);
}

function readConfig(text: string | undefined, seed: string | undefined, way: string | undefined): Config {
  if (seed !== undefined && !/^\d{1,10}$/.test(seed))
    throw refuse(`The flag --seed takes a whole number, not "${seed}".`);
  const split = way === undefined ? {} : { split: readWay(way) };
  try {
    // The service says what is wrong with settings that it does not know.
    return { ...(JSON.parse(text ?? '{}') as Config), ...(seed === undefined ? {} : { seed: Number(seed) }), ...split };
  } catch {
    throw refuse(`The flag --config takes JSON, as {"rare_options":"refuse"}, not ${text}.`);
  }
}

/** Waits for the end of a training and tells its stages; cancels it where the command is interrupted. */
async function watchTraining(client: Client, params: PolicyParams, { signal, say }: Surroundings): Promise<Progress> {
  let shown: string | null = null;
  let isCancelled = false;
  for (;;) {
    const progress = await client.call('policies.progress', { params });
    if (!isInProgress(progress.status)) return progress;
    const { stage_name, stage_number, total_stages, duration_hint, queue_place, message } = progress;
    const now = queue_place === null ? stage_name : message;
    if (now !== shown) {
      say(queue_place === null ? `${stage_name} (${stage_number} of ${total_stages}), ${duration_hint}` : `${message}`);
      shown = now;
    }
    if (signal.aborted && !isCancelled) {
      isCancelled = true;
      await client.call('policies.cancel', { params });
    }
    // An interruption ends the wait.
    await wait(pollMs, undefined, isCancelled ? {} : { signal }).catch(() => undefined);
  }
}

/** Starts a training; where a type is not ready for it, the refusal says what helps. */
async function startTraining(client: Client, typeId: string, config: Config) {
  const params = { decision_type_id: typeId };
  try {
    return await client.call('training.start', { params, body: config });
  } catch (error) {
    if (!(error instanceof ApiError) || !error.details.some(isUnready)) throw error;
    throw new ApiError(error.code, `${error.message} Label more examples.`, error.status, error.details, {
      cause: error,
    });
  }
}

const isUnready = (detail: unknown) => readDetail(detail).type === 'not_ready';

/** Trains a type to the end and gives its policy; throws what kept it from being trained. */
async function trainType(client: Client, typeId: string, config: Config, around: Surroundings) {
  around.signal.throwIfAborted();
  const started = await startTraining(client, typeId, config);
  const params = { decision_type_id: typeId, policy_id: started.policy_id };
  const { status, error } = await watchTraining(client, params, around);
  around.signal.throwIfAborted();
  if (status === 'cancelled') throw new CommandError(endCodes.failed, 'The training was cancelled.');
  if (status === 'failed') throw new CommandError(endCodes.failed, `The training failed. ${error ?? ''}`);
  return params;
}

/** Deploys a policy, unless its verdict blocks that. */
async function deployUnlessBlocked(client: Client, params: PolicyParams): Promise<void> {
  const { verdict } = await client.call('policies.get', { params });
  if (verdict.some(({ state }) => state === 'blocking')) return;
  await client.call('policies.deploy', { params, body: {} });
}

type Order = { config: Config; least: number | null; out: string | undefined };

async function trainAndMeasure(client: Client, typeId: string, order: Order, around: Surroundings) {
  const { least, out } = order;
  // With a figure to reach, deployment waits until it is reached.
  const config = least === null ? order.config : { ...order.config, auto_deploy: false };
  const params = await trainType(client, typeId, config, around);
  const { accuracy, baseline, headline } = await client.call('policies.whole', { params, query: {} });
  around.say(headline);
  const isPassed = isReached(accuracy, least, around.say);
  if (isPassed && least !== null && order.config.auto_deploy !== false) await deployUnlessBlocked(client, params);
  const written =
    isPassed && out !== undefined
      ? await writeBundle(client, typeId, params.policy_id, out)
      : { bundle: null, sha256: null, revision: null };
  const { version, seed, deployed, held_back, verdict, metrics } = await client.call('policies.get', { params });
  for (const { state, sentence } of verdict) if (state === 'blocking') around.say(sentence);
  return {
    isPassed,
    answer: {
      policy_id: params.policy_id,
      policy_version: `v${version}`,
      seed,
      deployed,
      held_back,
      verdict,
      one_case: metrics?.split?.one_case ?? '',
      rows: (metrics?.train_size ?? 0) + (metrics?.test_size ?? 0),
      accuracy,
      baseline,
      fail_under: least,
      passed: isPassed,
      notes: metrics?.notes ?? [],
      ...written,
    },
  };
}

/** Finds the type to train: one that is made of the file, or one that is there. */
async function prepareType(
  client: Client,
  source: FileSource | null,
  typeName: string | undefined,
  around: Surroundings,
) {
  if (source === null) return { type: await findType(client, typeName), isNewType: false };
  const name = toTypeName(source.file, typeName);
  if ((await listTypes(client)).some((type) => type.name === name)) {
    const message = `There is a decision type "${name}" already. Leave out the file to train it as it is, add the rows by workbench import, or choose another --type.`;
    throw refuse(message);
  }
  return importFile(client, source, name, around);
}

const help = `workbench train [FILE] [--label COLUMN] [--out BUNDLE] [--fail-under SHARE] [--seed N] [--split WAY]
                [--config JSON] [--type NAME] [--data-dir DIR]
Trains a policy and prints one line of JSON: policy, accuracy on held-out rows with its 95% interval, baseline, bundle.
With a file, a decision type is made of it, in a folder that is gone afterwards unless --data-dir names one; without,
the examples of a type in the data folder are learned.

  --label COLUMN      the column of the file with the answers; otherwise the one that is named like an answer
  ${importHelp}
  --out BUNDLE        write the bundle of the policy there; a bundle that lies there is replaced, nothing else
  --fail-under SHARE  with an accuracy under it, end with 1, write no bundle and deploy nothing
  --seed N            what all chance follows from (the digest of the examples)
  --split WAY         which examples are held out to measure: random (about a fifth), date:FIELD (the newest fifth),
                      group:FIELD (a fifth of its values, each with all its examples), column:FIELD (those it says)
  --config JSON       further settings of POST …/train, as {"rare_options":"refuse"}
  --type NAME         the decision type (the name of the file; without a file the only one there is)
  --data-dir DIR      data folder (WORKBENCH_DATA_DIR; without a file ~/.decision-workbench)
`;

export const trainCommand = defineCommand(
  help,
  {
    ...commonOptions,
    ...importOptions,
    ...texts('out', 'fail-under', 'seed', 'split', 'config'),
  },
  async ({ values, file }, around) => {
    const startedMs = performance.now();
    const order = {
      config: readConfig(values.config, values.seed, values.split),
      least: readShare('--fail-under', values['fail-under']),
      out: values.out,
    };
    if (values.out !== undefined) checkBundlePlace(values.out);
    const source = file === undefined ? null : await openSource(file, values);
    const findFolder = source === null ? requireDataDir : findNamedFolder;
    return withWorkbench(findFolder(values['data-dir'], around.env), around.env, async (client) => {
      const { type, isNewType } = await prepareType(client, source, values.type, around);
      try {
        const { isPassed, answer } = await trainAndMeasure(client, type.id, order, around);
        const seconds = Math.round((performance.now() - startedMs) / 100) / 10;
        await around.answer({ decision_type: type.name, ...answer, seconds });
        return isPassed ? endCodes.done : endCodes.under;
      } catch (error) {
        if (isNewType) await client.call('decision_types.delete', { params: { decision_type_id: type.id } });
        throw error;
      }
    });
  },
);
