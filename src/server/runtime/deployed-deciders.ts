/** Deciders of deployed policies, compiled before the first call needs them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTurns, nextTurn } from '../../door/turns.ts';
import { type Bundle, digestParts, unpackBundle } from '../../engine/bundle/bundle.ts';
import { type InputField, listInputFields, recallFields } from '../../engine/bundle/input-fields.ts';
import { compileDecider, compileRulesDecider } from '../../engine/decide/decider.ts';
import { type Decider, runGolden } from '../../engine/decide/golden.ts';
import { type ErrorDetail, WorkbenchError } from '../../engine/errors.ts';
import type { JsonObject } from '../../engine/json.ts';
import { isPiiField } from '../../engine/pii.ts';
import type { MonotonicClock } from '../../engine/ports.ts';
import type { CompiledRules } from '../../engine/rules/rules-file.ts';
import { sha256 } from '../process/clock.ts';
import { createRecentCache } from '../process/recent-cache.ts';
import type { DeployedPolicy } from '../store/policies/deployments.ts';
import type { DecisionTypeRecord, VersionRecord } from '../store/types/decision-types.ts';
import { compileSaved, toRulesOnlyPolicy, withCurrentSettings } from './current-settings.ts';
import type { EncoderHost, HostedTextModel } from './encoder/encoder-host.ts';
import { findForeignPart, findReader } from './encoder/text-model.ts';
import { remedy, UnavailablePolicies } from './unavailable-policies.ts';

export type PolicyFile = Pick<DeployedPolicy, 'id' | 'version' | 'bundleSha256'>;

type DeployedDecidersOptions = {
  artifactsDir: string;
  textModels: readonly HostedTextModel[];
  now: MonotonicClock;
  checkElsewhere(order: { schema: JsonObject; input: JsonObject }, callerId?: string): Promise<ErrorDetail[]>;
  /** The escalation threshold that the training of a policy was started with, or null. */
  findEscalationThreshold(policyId: string): number | null;
  /** The version of a type that a policy was trained from. */
  findVersion(typeId: string, versionId: string): VersionRecord | null;
  /** Called when a deployed policy becomes unusable, and with null when it recovers. */
  onAvailability(policyId: string, error: unknown): void;
};
type Pinned = {
  live: DecisionTypeRecord;
  type: DecisionTypeRecord;
  policy: DeployedPolicy;
  pinned: Decider;
  fields: InputField[];
};
type Compiled = {
  bundle: Bundle;
  decider: Decider;
  type: DecisionTypeRecord;
  settingsKey: string;
  /** The fields that it reads, once they were asked for, with the type that says which are personal. */
  listed?: { type: DecisionTypeRecord; fields: InputField[] };
};

const maxCompiledPolicies = 24;
/** Changes that may be under way at once: the rules and the digest of what decides are kept with it. */
const maxChanges = 4;

/** Path of a policy's bundle, in its slim form. */
export function artifactPath(artifactsDir: string, policyId: string): string {
  return join(artifactsDir, `${policyId}.zip`);
}

/** Lists the fields that a bundle reads, personal ones without values. */
function listBundleFields(bundle: Bundle, piiFields: readonly string[]): InputField[] {
  const fields = bundle.manifest.fields ?? listInputFields(bundle, recallFields([], piiFields));
  return fields.map((field) => (isPiiField(field.path, piiFields) ? { ...field, values: null } : field));
}

const toSettingsKey = ({ activeVersion, fallbackOption }: DecisionTypeRecord): string =>
  `${activeVersion.id} ${fallbackOption ?? ''}`;

/** Names the model that a policy's encoder was made from, where the bundle does. */
const nameModel = ({ manifest: { text } }: Bundle) => (text?.base_model === undefined ? '' : ` (${text.base_model})`);

/** Keeps up to 24 compiled policies with the current settings, and knows which cannot be used. */
export class DeployedDeciders {
  readonly #options: DeployedDecidersOptions;
  readonly #compiled = createRecentCache<string, Compiled>(maxCompiledPolicies);
  /** Stand-ins for policies that cannot be loaded. */
  readonly #rulesOnly = createRecentCache<string, Pick<Compiled, 'type' | 'decider'>>(maxCompiledPolicies);
  /** Releases that callers name, by type and number. */
  readonly #pinned = createRecentCache<string, Pinned>(maxCompiledPolicies);
  /** Rules by the version that they are of: a saved change needs them for its digest, and then to decide. */
  readonly #rules = createRecentCache<string, CompiledRules>(maxChanges);
  /** Digests by the policy and the settings that they are of, computed before a change is written. */
  readonly #digests = createRecentCache<string, string>(maxChanges);
  readonly #unavailable: UnavailablePolicies;
  /** The encoders that loaded policies ask. */
  readonly #encoders = new Map<string, EncoderHost>();

  constructor(options: DeployedDecidersOptions) {
    this.#options = options;
    const { artifactsDir, textModels, now } = options;
    this.#unavailable = new UnavailablePolicies(now, (policyId) => [
      artifactPath(artifactsDir, policyId),
      ...textModels.flatMap(({ model }) => [model.encoderPath, model.tokenizerPath]),
    ]);
  }

  /**
   * The decider of a deployed policy: a look-up once compiled for the settings. While it cannot be loaded its rules
   * decide, and the rest is `unavailable` with the reason.
   */
  get(type: DecisionTypeRecord, policy: DeployedPolicy): Decider {
    const known = this.#compiled.get(policy.id);
    // The store gives the same row until something changes.
    if (known?.type === type) return known.decider;
    if (!this.#unavailable.isHopeless(policy.id) && this.#tryToLoad(type, policy))
      return this.#load(type, policy).decider;
    return this.#getRulesOnly(type, policy);
  }

  /** The decider of a trained policy under its type's settings. Throws `unavailable` or `validation_error`. */
  getTrained(type: DecisionTypeRecord, policy: PolicyFile): Decider {
    return this.#load(type, policy).decider;
  }

  /**
   * A release of a type with its decider, compiled at its first use; `read` gives its policy, and the type as it was.
   * Throws what `read` throws, and as `getTrained`.
   */
  pin(
    live: DecisionTypeRecord,
    number: number | string,
    read: () => Pick<Pinned, 'type' | 'policy'>,
  ): Omit<Pinned, 'live'> {
    const key = `${live.id} ${number}`;
    const known = this.#pinned.get(key);
    if (known?.live === live) return known;
    const { type, policy } = read();
    const { pinned, fields } = known ?? this.#compileRelease(type, policy);
    const found = { live, type, policy, pinned, fields };
    this.#pinned.set(key, found);
    return found;
  }

  #compileRelease(type: DecisionTypeRecord, policy: DeployedPolicy): Pick<Pinned, 'pinned' | 'fields'> {
    try {
      const known = this.#compiled.get(policy.id)?.bundle;
      const bundle = known ?? unpackBundle(this.#readFile(policy.id, policy.bundleSha256), sha256);
      const present = this.#withPresentSettings(bundle, type, policy.id);
      this.#noteEncoder(policy.id, bundle);
      return { pinned: this.compile(present), fields: listBundleFields(present, type.piiFields) };
    } catch (cause) {
      // The caller asked rightly: the release is not as it was.
      if (!(cause instanceof WorkbenchError)) throw cause;
      const message = `Release ${policy.release} cannot decide now. ${cause.message}`;
      throw new WorkbenchError('unavailable', message, undefined, { cause });
    }
  }

  /** Lists the fields that a deployed policy reads, personal ones without values; null while it cannot be loaded. */
  listFields(type: DecisionTypeRecord, policy: DeployedPolicy): InputField[] | null {
    this.get(type, policy);
    const compiled = this.#compiled.get(policy.id);
    if (compiled === undefined) return null;
    if (compiled.listed?.type !== type) {
      compiled.listed = { type, fields: listBundleFields(compiled.bundle, type.piiFields) };
    }
    return compiled.listed.fields;
  }

  /** Loads a deployed policy now, whenever it was tried last; resolves with whether it can be used. */
  async prepare(type: DecisionTypeRecord, policy: DeployedPolicy): Promise<boolean> {
    await nextTurn();
    return this.#tryToLoad(type, policy);
  }

  #tryToLoad(type: DecisionTypeRecord, policy: DeployedPolicy): boolean {
    try {
      this.#noteEncoder(policy.id, this.#load(type, policy).bundle);
    } catch (error) {
      if (this.#unavailable.note(policy.id, error)) this.#options.onAvailability(policy.id, error);
      return false;
    }
    if (this.#unavailable.forget(policy.id)) this.#options.onAvailability(policy.id, null);
    return true;
  }

  #noteEncoder(policyId: string, bundle: Bundle): void {
    const host = bundle.plan.text?.encoder ? this.findTextModel(bundle)?.host : undefined;
    if (host !== undefined) this.#encoders.set(policyId, host);
  }

  /** Whether a policy asks a text encoder that is not loaded. */
  isEncoderWaiting(policyId: string): boolean {
    const host = this.#encoders.get(policyId);
    return host !== undefined && host.state() !== 'ready';
  }

  /** Starts the text encoder where a loaded policy asks it, so that no decide call waits for its loading. */
  async startEncoder(policyId: string): Promise<void> {
    await this.#encoders.get(policyId)?.start();
  }

  /** Ends text encoders that none of the deployed policies asks and nobody else has asked since the last call. */
  releaseEncoders(deployedIds: readonly string[]): void {
    const needed = new Set(deployedIds.map((id) => this.#encoders.get(id)));
    for (const { host } of this.#options.textModels) if (!needed.has(host)) host.releaseUnused();
  }

  /** Why a deployed policy cannot be used now, with the remedy; null while it can. */
  findUnavailability(policyId: string): string | null {
    const reason = this.#unavailable.findReason(policyId);
    return reason ?? this.#encoders.get(policyId)?.findFailure() ?? null;
  }

  /** Whether only a new training makes a policy usable: it does not fit this program. */
  needsRetraining(policyId: string): boolean {
    return this.#unavailable.isMisfit(policyId);
  }

  /** The policies that could not be loaded and are to be tried again now. */
  listDue(): string[] {
    return this.#unavailable.listDue();
  }

  /** Forgets that a policy could not be loaded: it is not deployed any more. */
  forget(policyId: string): void {
    this.#unavailable.forget(policyId);
  }

  /** A trained policy with its file's bytes and its type's settings. Throws `unavailable` without its file. */
  readFile(type: DecisionTypeRecord, policy: PolicyFile): { bytes: Uint8Array; trained: Bundle; present: Bundle } {
    const bytes = this.#readFile(policy.id, policy.bundleSha256);
    const trained = unpackBundle(bytes, sha256);
    return { bytes, trained, present: this.#withPresentSettings(trained, type, policy.id) };
  }

  /** Compiles the rules of a version, or finds them. */
  compileRules(version: VersionRecord): CompiledRules {
    const rules = this.#rules.get(version.id) ?? compileSaved(version);
    this.#rules.set(version.id, rules);
    return rules;
  }

  /**
   * The digest of the release of a policy with its type's present settings. While the policy's file cannot be read, one
   * of the file's SHA-256 and the settings.
   */
  digest(type: DecisionTypeRecord, { id, bundleSha256 }: Pick<PolicyFile, 'id' | 'bundleSha256'>): string {
    const key = `${id} ${bundleSha256} ${toSettingsKey(type)}`;
    const known = this.#digests.get(key);
    if (known !== undefined) return known;
    try {
      const bundle = this.#compiled.get(id)?.bundle ?? unpackBundle(this.#readFile(id, bundleSha256), sha256);
      const digest = digestParts(this.#withPresentSettings(bundle, type, id), sha256);
      this.#digests.set(key, digest);
      return digest;
    } catch (error) {
      // Why it cannot be used is said where it would decide.
      if (!(error instanceof WorkbenchError)) throw error;
      const { activeVersion, fallbackOption } = type;
      return sha256(Buffer.from(JSON.stringify([bundleSha256, activeVersion.definition, fallbackOption])));
    }
  }

  /** Unpacks bytes as they would be deployed and decides their golden inputs. Throws with the fault. */
  async selfTest(bytes: Uint8Array): Promise<void> {
    const pause = this.createTurns();
    const bundle = unpackBundle(bytes, sha256);
    await pause();
    const { failures } = await runGolden(bundle, this.compile(bundle), pause);
    if (failures.length === 0) return;
    throw new WorkbenchError('conflict', `The policy fails its self-test on ${failures.length} of its golden inputs.`);
  }

  async selfTestFile(policyId: string, bundleSha256: string): Promise<void> {
    await this.selfTest(this.#readFile(policyId, bundleSha256));
  }

  /** Whether these policies are compiled, or as many of them as are kept at a time. */
  hasCompiled(policyIds: readonly string[]): boolean {
    const found = policyIds.filter((id) => this.#compiled.get(id) !== undefined).length;
    return found >= Math.min(policyIds.length, maxCompiledPolicies);
  }

  /** Between the steps with a whole bundle, each of which takes its time, others have their turn. */
  createTurns(): () => Promise<void> {
    return createTurns({ monotonic: this.#options.now });
  }

  #load(type: DecisionTypeRecord, policy: PolicyFile): Compiled {
    const known = this.#compiled.get(policy.id);
    const settingsKey = toSettingsKey(type);
    if (known?.settingsKey === settingsKey) {
      known.type = type;
      return known;
    }
    const bundle = known?.bundle ?? unpackBundle(this.#readFile(policy.id, policy.bundleSha256), sha256);
    const decider = this.compile(this.#withPresentSettings(bundle, type, policy.id));
    const compiled = { bundle, decider, type, settingsKey };
    this.#compiled.set(policy.id, compiled);
    return compiled;
  }

  #getRulesOnly(type: DecisionTypeRecord, policy: DeployedPolicy): Decider {
    const known = this.#rulesOnly.get(policy.id);
    if (known?.type === type) return known.decider;
    const decider = this.#compileRulesOnly(type, policy);
    this.#rulesOnly.set(policy.id, { type, decider });
    return decider;
  }

  #compileRulesOnly(type: DecisionTypeRecord, policy: DeployedPolicy): Decider {
    const trained = this.#options.findVersion(type.id, policy.versionId);
    if (trained === null) throw new Error(`The version ${policy.versionId} does not exist.`);
    return compileRulesDecider(toRulesOnlyPolicy(type, policy, trained), this.#options, () => {
      const reason = this.#unavailable.findReason(policy.id) ?? '';
      throw new WorkbenchError('unavailable', `No rule decides this input, and the policy cannot be used. ${reason}`);
    });
  }

  /** A policy that came with its type may have another id here than its bundle says. */
  #withPresentSettings(bundle: Bundle, type: DecisionTypeRecord, policyId: string): Bundle {
    const ownEscalation = this.#options.findEscalationThreshold(policyId);
    return withCurrentSettings(bundle, type, ownEscalation, (version) => this.compileRules(version));
  }

  /** Compiles a bundle with the text model of this program; throws `validation_error` where it needs another one. */
  compile(bundle: Bundle): Decider {
    const { textModels, now, checkElsewhere } = this.#options;
    const foreign = findForeignPart(
      bundle,
      textModels.map(({ model }) => model),
    );
    if (foreign !== null) {
      throw new WorkbenchError(
        'validation_error',
        `The policy was trained with another ${foreign} than those installed${nameModel(bundle)}. Train the type again, or add that text model.`,
      );
    }
    const textModel = this.findTextModel(bundle);
    const encoder = bundle.plan.text?.encoder ? (textModel?.host.encoder ?? null) : null;
    return compileDecider(bundle, { encoder, tokenizer: textModel?.model.tokenizer() ?? null, now, checkElsewhere });
  }

  /** The text model that a policy reads by; undefined for one that reads no text. */
  findTextModel({ manifest: { text } }: Pick<Bundle, 'manifest'>): HostedTextModel | undefined {
    if (text === null || text.tokenizer_sha256 === null) return undefined;
    const { textModels } = this.#options;
    const model = findReader(
      text,
      textModels.map((each) => each.model),
    );
    return textModels.find((each) => each.model === model);
  }

  /** Compiles bytes with a type's present settings, beside `ownEscalation`, the threshold of their training or null. */
  compilePresent(type: DecisionTypeRecord, bytes: Uint8Array, ownEscalation: number | null): Decider {
    return this.compile(withCurrentSettings(unpackBundle(bytes, sha256), type, ownEscalation));
  }

  #readFile(policyId: string, bundleSha256: string): Uint8Array {
    let bytes: Uint8Array;
    try {
      bytes = readFileSync(artifactPath(this.#options.artifactsDir, policyId));
    } catch (cause) {
      const message = `The file of the policy cannot be read. ${remedy}`;
      throw new WorkbenchError('unavailable', message, undefined, { cause });
    }
    if (sha256(bytes) === bundleSha256) return bytes;
    throw new WorkbenchError('unavailable', `The file of the policy is damaged. ${remedy}`);
  }
}
