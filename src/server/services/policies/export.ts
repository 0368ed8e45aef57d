/** A policy given away: its bundle as it decides now, with the card that describes it, or as a page. */
import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  type Bundle,
  type BundleIdentity,
  digestParts,
  identifyBundle,
  packBundle,
  withTextModel,
} from '../../../engine/bundle/bundle.ts';
import { type Manifest, toManifestDraft } from '../../../engine/bundle/manifest.ts';
import { type ModelCardFacts, writeModelCard } from '../../../engine/bundle/model-card.ts';
import { recordGoldenLines } from '../../../engine/decide/golden.ts';
import type { Metrics, TextModelTrial } from '../../../engine/domain/metrics.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { countNgrams } from '../../../engine/features/plan.ts';
import type { JsonObject } from '../../../engine/json.ts';
import type { WholeDecision } from '../../../engine/measured.ts';
import { formatCount, formatShare } from '../../../engine/numeric.ts';
import { isPiiField, redactToPlaceholder } from '../../../engine/pii.ts';
import { fillPage } from '../../../engine/report/fill-page.ts';
import { makeGoldenInputs } from '../../../engine/training/package/golden-inputs.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import { sha256 } from '../../process/clock.ts';
import type { PolicyFile } from '../../runtime/deployed-deciders.ts';
import { type TextModel, toMissingPart } from '../../runtime/encoder/text-model.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { readBuiltPage } from '../built-pages.ts';
import type { HeldOutDecisions } from './held-out-decisions.ts';
import { maxPinnedCases } from './pinned-cases.ts';
import { findPolicy } from './policies.ts';
import type { PromiseChecks } from './promises.ts';
import { isPersonal } from './verdict.ts';

/** Facts about a policy in its bundle that do not affect decisions. */
type BundleFacts = {
  metrics: ModelCardFacts['metrics'];
  /** Inputs of the cases whose decisions must hold: the bundle is tried on them as well. */
  pinned: JsonObject[];
  questions: Manifest['questions'];
  aliases: Manifest['aliases'];
  promise: (NonNullable<Manifest['promise']> & NonNullable<ModelCardFacts['promise']>) | null;
};

type ExportablePolicy = { policy: PolicyFile } & BundleFacts;

/** An exported bundle: its bytes, its name and its identity. */
type ExportedBundle = { bytes: Uint8Array; fileName: string; identity: BundleIdentity };

/** Digits of the release's digest in a file's name: enough to tell the releases of one policy apart. */
const shownDigits = 8;

/**
 * Finds the policy to export, the deployed one unless named. Throws `forbidden` (plan), `model_not_deployed`,
 * `not_found`, or `conflict` where it was not trained to the end.
 */
export function findExportablePolicy(
  deps: Foundation & { heldOutDecisions: HeldOutDecisions; promiseChecks: PromiseChecks },
  caller: Caller,
  type: DecisionTypeRecord,
  policyId: string | undefined = deps.store.deployments.find(type.id)?.id,
): ExportablePolicy {
  deps.metering.checkExport(caller);
  if (policyId === undefined) {
    throw new WorkbenchError('model_not_deployed', 'No policy is deployed for this decision type.');
  }
  const record = findPolicy(deps.store, type, policyId);
  const { id, version, bundleSha256, status } = record;
  if (bundleSha256 === null) throw new WorkbenchError('conflict', `A policy in status ${status} has no bundle.`);
  return {
    policy: { id, version, bundleSha256 },
    metrics: record.metrics && withPresentFigures(record.metrics, deps.heldOutDecisions.read(type, record).whole),
    pinned: deps.store.examples.listMust(type.id, maxPinnedCases).map(({ input }) => input),
    promise: describePromise(deps, type, record),
    questions: readMarks(deps, type),
    aliases: readAliases(deps, type, id),
  };
}

/** The questions that people have said that a type answers; undefined without any. */
function readMarks({ store }: Foundation, { id, activeVersion }: DecisionTypeRecord): BundleFacts['questions'] {
  const { options: all } = activeVersion.definition;
  const marks = store.questions.listOfType(id).flatMap(({ kind, digest, shown, options }) => {
    const isWhole = kind === 'predicate' || options.length === all.length;
    if (!isWhole || !options.every((option) => all.includes(option))) return [];
    const others = all.filter((option) => !options.includes(option));
    const opposite = kind === 'predicate' && others.length === 1 ? (others[0] ?? null) : null;
    return [{ kind, digest, asked: shown, options, opposite }];
  });
  return marks.length === 0 ? undefined : marks;
}

/** The aliases of the release by which a policy decides now; undefined without any. */
function readAliases({ store }: Foundation, type: DecisionTypeRecord, policyId: string): BundleFacts['aliases'] {
  const current = store.deployments.find(type.id);
  const named = store.releases.listAliases(type.id).filter(({ number }) => number === current?.release);
  return current?.id !== policyId || named.length === 0 ? undefined : named.map(({ alias }) => alias);
}

function describePromise(
  { store, promiseChecks }: Foundation & { promiseChecks: PromiseChecks },
  type: DecisionTypeRecord,
  policy: PolicyRecord,
): BundleFacts['promise'] {
  const declared = store.promises.findDeclared(type.id);
  const standing = promiseChecks.readStanding(type, policy);
  if (declared === null || standing === null || standing.state === 'nothing_promised') return null;
  const { state, sentence } = standing;
  const { target_error, certainty } = declared;
  return { state, target_error, certainty, sentence, madeAt: policy.promise?.made_at ?? null };
}

/** The figures of a policy with those that follow from rules and thresholds as they are now. */
export function withPresentFigures(metrics: Metrics, whole: WholeDecision): Metrics {
  const { share } = whole.escalated;
  return share === null ? metrics : { ...metrics, whole, escalation_estimate: share };
}

/** Packs the bundle that decides as the service does now. Throws `unavailable` for a missing part. */
export async function exportBundle(
  runtime: Runtime,
  type: DecisionTypeRecord,
  { policy, ...facts }: ExportablePolicy,
  isSlim: boolean,
): Promise<ExportedBundle> {
  const { slim, textModel } = await packSlim(runtime, type, policy, facts);
  const { release } = identifyBundle(slim, sha256);
  const name = `${type.name}-v${policy.version}-${release.slice(0, shownDigits)}`;
  if (isSlim || textModel === undefined) return nameBundle(slim, name);
  const read = (path: string, part: Parameters<typeof toMissingPart>[0]) =>
    readFile(path).catch((cause: unknown) => Promise.reject(toMissingPart(part, cause)));
  const [tokenizer, encoder, notice, license] = await Promise.all([
    read(textModel.tokenizerPath, 'tokenizer'),
    read(textModel.encoderPath, 'text encoder'),
    read(textModel.noticePath, "text model's licence"),
    read(textModel.licensePath, "text model's licence"),
  ]);
  const licenses = Buffer.concat([notice, Buffer.from('\n'), license]);
  return nameBundle(withTextModel(slim, { tokenizer, encoder, license: licenses }, sha256), name);
}

/**
 * Writes the page of a policy, as it decides now. Throws `conflict` where a text model reads its texts, and
 * `unavailable` where the page was not built or as `exportBundle`.
 */
export async function exportPage(
  { runtime, options }: Foundation,
  type: DecisionTypeRecord,
  exportable: ExportablePolicy,
): Promise<{ html: string; fileName: string }> {
  const { plan, inputSchema } = runtime.deployed.readFile(type, exportable.policy).present;
  if (plan.text?.encoder) {
    const compared = describeWords(exportable.metrics?.text_models ?? []);
    throw new WorkbenchError(
      'conflict',
      `The policy reads texts by a text model, which is too large for a page.${compared} Train with words alone (text_model: words), without deploying it (auto_deploy: false), and save that policy; or use the bundle.`,
    );
  }
  const page = await readBuiltPage(options, 'page.html', 'decides');
  const { bytes, fileName } = await exportBundle(runtime, type, exportable, false);
  const html = fillPage(page, { name: type.name, bundle: bytes, hasSchema: inputSchema !== null });
  return { html, fileName: fileName.replace(/\.zip$/, '.html') };
}

/** Says how often words alone were right beside the text model that was chosen; empty where they were not compared. */
function describeWords(trials: readonly TextModelTrial[]): string {
  const words = trials.find((trial) => trial.size_mb === 0);
  const chosen = trials.find((trial) => trial.chosen);
  if (words === undefined || chosen === undefined) return '';
  const say = ({ text_model: name, accuracy }: TextModelTrial) => `${formatShare(accuracy)} by ${name}`;
  return ` Of ${formatCount(words.rows)} training examples ${say(words)} and ${say(chosen)} were right unseen.`;
}

function nameBundle(bytes: Uint8Array, name: string): ExportedBundle {
  const identity = identifyBundle(bytes, sha256);
  return { bytes, fileName: `${name}${identity.isSlim ? '-slim' : ''}.zip`, identity };
}

/**
 * The slim bundle that decides as the service does now: the policy's file where nothing has changed since, else packed
 * again with the present settings; with the text model that it reads by.
 */
async function packSlim(
  { deployed }: Runtime,
  type: DecisionTypeRecord,
  policy: PolicyFile,
  { metrics, pinned, promise, questions, aliases }: BundleFacts,
): Promise<{ slim: Uint8Array; textModel: TextModel | undefined }> {
  const pause = deployed.createTurns();
  const { bytes, trained, present } = deployed.readFile(type, policy);
  const hosted = deployed.findTextModel(present);
  const textModel = hosted?.model;
  await pause();
  refuseLearnedValues(present, type.piiFields);
  refuseMissingFallback(present);
  const isRedacted = trained.golden.every(({ input }) =>
    isDeepStrictEqual(redactToPlaceholder(input, type.piiFields), input),
  );
  const digest = digestParts(present, sha256);
  const isNewest = trained.manifest.min_reader !== undefined && trained.manifest.revision === digest;
  if (
    promise === null &&
    isDeepStrictEqual(trained.manifest.questions, questions) &&
    isDeepStrictEqual(trained.manifest.aliases, aliases) &&
    isDeepStrictEqual(trained.manifest.pii_fields ?? [], type.piiFields) &&
    pinned.length === 0 &&
    isNewest &&
    isRedacted &&
    isDeepStrictEqual(present, trained)
  )
    return { slim: bytes, textModel };
  const encoderHost = present.plan.text?.encoder ? hosted?.host : undefined;
  await encoderHost?.start();
  const inputs = listGoldenInputs(present, type.piiFields);
  const { pii_fields: _former, questions: _asked, aliases: _named, ...settings } = toManifestDraft(present.manifest);
  const manifest = {
    ...settings,
    golden_inputs: settings.golden_inputs ?? ('synthetic' as const),
    runtime: encoderHost?.runtimeVersion ?? null,
    ...(questions && { questions }),
    ...(aliases && { aliases }),
    ...(type.piiFields.length > 0 && { pii_fields: [...type.piiFields] }),
    promise: promise && { state: promise.state, target_error: promise.target_error, certainty: promise.certainty },
  };
  await pause();
  const decider = deployed.compile(present);
  const cases = await recordGoldenLines(decider, pinned, type.piiFields, pause);
  const golden = [...cases, ...(await recordGoldenLines(decider, inputs, type.piiFields, pause))];
  await pause();
  const slim = packBundle(
    {
      ...present,
      manifest,
      golden,
      modelCard: writeModelCard({
        ...present,
        manifest,
        digest,
        golden,
        pinned: cases.length,
        metrics: withoutFields(metrics, type.piiFields),
        promise,
      }),
    },
    sha256,
  );
  await pause();
  return { slim, textModel };
}

/** Throws `conflict` where the policy learned values of a field declared personal later. */
function refuseLearnedValues({ plan }: Bundle, piiFields: readonly string[]): void {
  const categories = plan.fields.filter((field) => 'values' in field && field.values.length > 0);
  const texts = plan.text !== null && countNgrams(plan.text.ngrams) > 0 ? plan.text.fields : [];
  const personal = [...categories.map(({ path }) => path), ...texts].find((path) => isPiiField(path, piiFields));
  if (personal === undefined) return;
  throw new WorkbenchError(
    'conflict',
    `The policy holds values of ${personal.join('.')} from before it was declared personal. Train again.`,
  );
}

/** The inputs of the golden decisions; those that an earlier version took from examples are made up again. */
function listGoldenInputs(
  { golden, manifest, rules, inputSchema }: Bundle,
  piiFields: readonly string[],
): JsonObject[] {
  if (manifest.golden_inputs) return golden.map(({ input }) => input);
  const seen = golden.map(({ input, output }) => ({ input, option: output.decision }));
  return makeGoldenInputs(seen, piiFields, { decisionType: manifest.decision_type, rules, inputSchema });
}

/** The figures without the weak parts that a personal field describes. */
function withoutFields(metrics: BundleFacts['metrics'], piiFields: readonly string[]): BundleFacts['metrics'] {
  const kept = metrics?.weak_parts?.filter(({ fields }) => !isPersonal(fields, piiFields));
  return metrics && { ...metrics, weak_parts: kept ?? null };
}

/** Throws `conflict` where inputs that no rule decides would have no answer. */
function refuseMissingFallback({ manifest }: Bundle): void {
  if (manifest.classifier !== null || manifest.fallback_option !== null) return;
  throw new WorkbenchError(
    'conflict',
    'The policy decides by rules alone, and the decision type has no fallback option any more. Choose one.',
  );
}
