/** Deciders of deployed policies, compiled before the first call needs them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Bundle, packBundle, unpackBundle } from '../../engine/bundle/bundle.ts';
import { writeModelCard } from '../../engine/bundle/model-card.ts';
import { compileDecider, type Decider } from '../../engine/decide/decider.ts';
import { recordGoldenLines, runGolden } from '../../engine/decide/golden.ts';
import type { Metrics } from '../../engine/domain.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import type { MonotonicClock } from '../../engine/ports.ts';
import { sha256 } from '../process/clock.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { DeployedPolicy } from '../store/policies.ts';
import { withCurrentSettings } from './current-settings.ts';
import type { EncoderHost } from './encoder-host.ts';
import { createRecentCache } from './recent-cache.ts';
import type { TextModel } from './text-model.ts';

export type DeployedOptions = {
  artifactsDir: string;
  textModel: TextModel;
  encoderHost: EncoderHost;
  now: MonotonicClock;
  /** The escalation threshold that the training of a policy was started with, or null. */
  escalationThresholdOf(policyId: string): number | null;
};
type Loaded = { bundle: Bundle; decider: Decider; type: DecisionTypeRecord; settingsKey: string };

const maxLoadedPolicies = 24;

const remedy = 'train the decision type again, or put a backup of the file in its place';

/** Path of a policy's bundle, in its slim form. */
export function artifactPath(artifactsDir: string, policyId: string): string {
  return join(artifactsDir, `${policyId}.zip`);
}

/** Keeps up to 24 compiled policies, each with the settings of its type's active version. */
export function createDeployed(options: DeployedOptions) {
  const { artifactsDir, textModel, encoderHost } = options;
  const loaded = createRecentCache<string, Loaded>(maxLoadedPolicies);

  function compile(bundle: Bundle): Decider {
    const { text } = bundle.manifest;
    if (text && text.tokenizer_sha256 !== textModel.tokenizerSha256) {
      throw new WorkbenchError(
        'validation_error',
        'The policy was trained with another tokenizer. Train the type again.',
      );
    }
    const encoder = bundle.plan.text?.encoder ? encoderHost.encoder : null;
    return compileDecider(bundle, { encoder, tokenizer: text ? textModel.tokenizer() : null, now: options.now });
  }

  function readFile(policyId: string, bundleSha256: string): Uint8Array {
    let bytes: Uint8Array;
    try {
      bytes = readFileSync(artifactPath(artifactsDir, policyId));
    } catch (cause) {
      throw new WorkbenchError('unavailable', `The file of the policy cannot be read; ${remedy}.`, undefined, {
        cause,
      });
    }
    if (sha256(bytes) === bundleSha256) return bytes;
    throw new WorkbenchError('unavailable', `The file of the policy is damaged; ${remedy}.`);
  }

  const present = (bundle: Bundle, type: DecisionTypeRecord) =>
    withCurrentSettings(bundle, type, options.escalationThresholdOf(bundle.manifest.policy_id));

  return {
    /**
     * The decider of a deployed policy under its type's present settings. Costs a map look-up once it is compiled;
     * compiled anew after a change of the settings. Throws when the file is missing or damaged.
     */
    get(type: DecisionTypeRecord, policy: DeployedPolicy): Decider {
      const known = loaded.get(policy.id);
      // the store gives the same row until something changes
      if (known?.type === type) return known.decider;
      const settingsKey = `${type.activeVersion.id} ${type.fallbackOption ?? ''}`;
      if (known?.settingsKey === settingsKey) {
        known.type = type;
        return known.decider;
      }
      const bundle = known?.bundle ?? unpackBundle(readFile(policy.id, policy.bundleSha256), sha256);
      const decider = compile(present(bundle, type));
      loaded.set(policy.id, { bundle, decider, type, settingsKey });
      return decider;
    },
    /** Starts the text encoder where a deployed policy asks it, so that no decide call waits for its loading. */
    async warm(type: DecisionTypeRecord, policy: DeployedPolicy): Promise<void> {
      this.get(type, policy);
      if (loaded.get(policy.id)?.bundle.plan.text?.encoder) await encoderHost.start();
    },
    /**
     * The slim bundle that decides as the service does now: the file of the policy where the type's settings are still
     * those of the training, else the same policy packed with today's settings, golden decisions and model card.
     */
    async exported(type: DecisionTypeRecord, policy: DeployedPolicy, metrics: Metrics): Promise<Uint8Array> {
      const bytes = readFile(policy.id, policy.bundleSha256);
      const trained = unpackBundle(bytes, sha256);
      const now = present(trained, type);
      if (isDeepStrictEqual(now, trained)) return bytes;
      if (now.plan.text?.encoder) await encoderHost.start();
      const inputs = trained.golden.map((line) => line.input);
      const golden = await recordGoldenLines(compile(now), inputs, [], now.manifest.confidence_thresholds);
      const { files: _trained, ...manifest } = now.manifest;
      return packBundle({ ...now, manifest, golden, modelCard: writeModelCard({ ...now, metrics }) }, sha256);
    },
    /** Unpacks bytes as they would be deployed and decides their golden inputs. Throws with what is wrong. */
    async selfTest(bytes: Uint8Array): Promise<void> {
      const bundle = unpackBundle(bytes, sha256);
      const { failures } = await runGolden(bundle, compile(bundle));
      if (failures.length > 0) {
        throw new WorkbenchError(
          'conflict',
          `The policy fails its self-test on ${failures.length} of its golden inputs`,
        );
      }
    },
    /** As `selfTest`, for the file of a policy. */
    async selfTestFile(policyId: string, bundleSha256: string): Promise<void> {
      await this.selfTest(readFile(policyId, bundleSha256));
    },
    /** Whether these policies are compiled, or as many of them as are kept at a time. */
    holds: (policyIds: readonly string[]) =>
      policyIds.filter((id) => loaded.get(id) !== undefined).length >= Math.min(policyIds.length, maxLoadedPolicies),
    forget: (policyId: string) => loaded.delete(policyId),
  };
}
export type Deployed = ReturnType<typeof createDeployed>;
