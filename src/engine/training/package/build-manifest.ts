import { type ManifestDraft, usualBaseModel } from '../../bundle/manifest.ts';
import { needsTokenizer } from '../../features/plan.ts';
import { toManifestReadings } from '../../readings/readings.ts';
import { mergeThresholds } from '../../thresholds.ts';
import type { RareOptions } from '../data/rare-options.ts';
import type { TrainPorts, TrainRequest } from '../request.ts';
import type { FittedModel } from '../select/fit-choice.ts';

/** Builds the manifest without the digests of the files, which packing adds. */
export function buildManifest(
  request: TrainRequest,
  { plan, calibrated }: Pick<FittedModel, 'plan' | 'calibrated'>,
  ports: Pick<TrainPorts, 'encoder' | 'tokenizerSha256' | 'runtimeVersion' | 'baseModel'>,
  { options: setAside, few }: RareOptions,
): ManifestDraft {
  const { definition } = request;
  const { baseModel: base_model = usualBaseModel } = ports;
  return {
    tool_version: request.toolVersion,
    decision_type: request.decisionType,
    version: request.versionNumber,
    policy_id: request.policyId,
    policy_version: `v${request.policyVersion}`,
    options: definition.options,
    reason_codes: definition.reason_codes,
    confidence_thresholds: mergeThresholds(definition.confidence_thresholds, request.config.escalation_threshold),
    escalation_policy: definition.escalation_policy,
    fallback_option: request.fallbackOption,
    ...toManifestReadings(definition.readings),
    created_at: request.createdAt,
    classifier: { kind: calibrated.kind },
    ...(setAside.length > 0 && { set_aside: [...setAside] }),
    ...(few.length > 0 && { never_alone: [...few] }),
    golden_inputs: request.config.golden_inputs,
    training: {
      version: request.versionNumber,
      snapshot_sha256: request.provenance?.snapshotSha256 ?? null,
      seed: request.seed,
      node: request.provenance?.node ?? null,
      runtime: ports.runtimeVersion,
    },
    runtime: plan.text?.encoder ? ports.runtimeVersion : null,
    text:
      plan.text === null
        ? null
        : {
            encoder_sha256: plan.text.encoder === null ? null : (ports.encoder?.sha256 ?? null),
            tokenizer_sha256: needsTokenizer(plan) ? ports.tokenizerSha256 : null,
            slim: needsTokenizer(plan),
            ...(plan.text.encoder !== null && base_model !== usualBaseModel && { base_model }),
          },
  };
}
