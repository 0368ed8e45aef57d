import type { Bundle } from '../../engine/bundle/bundle.ts';
import { listInputFields, recallFields } from '../../engine/bundle/input-fields.ts';
import type { RulesOnlyPolicy } from '../../engine/decide/decider.ts';
import type { Readings } from '../../engine/domain/definition.ts';
import type { DecidingSettings } from '../../engine/measure/reapply.ts';
import { toManifestReadings, toPathReadings } from '../../engine/readings/readings.ts';
import { compileRules } from '../../engine/rules/compile.ts';
import type { CompiledRules } from '../../engine/rules/rules-file.ts';
import { mergeThresholds } from '../../engine/thresholds.ts';
import type { DeployedPolicy } from '../store/policies/deployments.ts';
import type { DecisionTypeRecord, VersionRecord } from '../store/types/decision-types.ts';

/** Whether the active version still names the options that the policy knows, in any order. */
export function hasSameOptions(policyOptions: readonly string[], options: readonly string[]): boolean {
  const known = new Set(policyOptions);
  return known.size === options.length && options.every((option) => known.has(option));
}

/** Compiles the rules of a saved version, which were checked when it was saved. */
export function compileSaved({ definition, id }: VersionRecord): CompiledRules {
  const rules = compileRules(definition.hard_rules, definition);
  if (!rules.ok) throw new Error(`the rules of version ${id} do not compile`);
  return rules.value;
}

/** Returns schema and rules of today, or of version `trained` where the options have changed. */
export function toRulesOnlyPolicy(
  type: DecisionTypeRecord,
  policy: DeployedPolicy,
  trained: VersionRecord,
): RulesOnlyPolicy {
  const isSame = hasSameOptions(policy.options, type.activeVersion.definition.options);
  const version = isSame ? type.activeVersion : trained;
  const { definition, versionNumber } = version;
  return {
    rules: compileSaved(version).file,
    inputSchema: definition.input_schema,
    options: policy.options,
    policyVersion: `v${policy.version}`,
    version: versionNumber,
    readings: toPathReadings(definition.readings),
  };
}

/** The parts of a policy's training configuration that matter when it decides. */
export type TrainedFrom = { version: VersionRecord; fallbackOption: string | null; ownEscalation: number | null };

/** Whether settings of today reach a policy: not while the type has other options than those it was trained with. */
export function followsSettings(type: DecisionTypeRecord, { version }: Pick<TrainedFrom, 'version'>): boolean {
  return hasSameOptions(version.definition.options, type.activeVersion.definition.options);
}

/** Reads the current settings beside a policy's classifier, and the version that they come from. */
export function readPresentSettings(
  type: DecisionTypeRecord,
  trained: TrainedFrom,
): DecidingSettings & { versionNumber: number; readings: Readings } {
  const isPresent = followsSettings(type, trained);
  const version = isPresent ? type.activeVersion : trained.version;
  const { definition, versionNumber } = version;
  return {
    rules: compileSaved(version),
    inputSchema: definition.input_schema,
    confidence_thresholds: mergeThresholds(definition.confidence_thresholds, trained.ownEscalation),
    escalation_policy: definition.escalation_policy,
    fallback_option: isPresent ? type.fallbackOption : trained.fallbackOption,
    versionNumber,
    readings: definition.readings,
  };
}

/** Fills in the version that a bundle was trained from, where it does not say so. */
function toKnownTraining({ manifest }: Bundle, versionNumber: number): Bundle['manifest']['training'] {
  if (manifest.version === versionNumber) return null;
  return { version: manifest.version, snapshot_sha256: null, seed: null, node: null, runtime: null };
}

/**
 * Returns the bundle with the settings of today as long as the options are the same; golden decisions and model card
 * stay. `ownEscalation` is the training's threshold, or null; `compile` gives the rules of the active version.
 */
export function withCurrentSettings(
  bundle: Bundle,
  type: Pick<DecisionTypeRecord, 'name' | 'piiFields' | 'fallbackOption' | 'activeVersion'>,
  ownEscalation: number | null,
  compile: (version: VersionRecord) => CompiledRules = compileSaved,
): Bundle {
  const { definition, versionNumber } = type.activeVersion;
  if (!hasSameOptions(bundle.manifest.options, definition.options)) return bundle;
  const rules = compile(type.activeVersion).file;
  const reasons = Object.entries(bundle.reasons.by_option).map(([option, codes]) => [
    option,
    codes.filter((code) => definition.reason_codes.includes(code)),
  ]);
  const { fields, readings: _readings, ...manifest } = bundle.manifest;
  const parts = { plan: bundle.plan, rules, inputSchema: definition.input_schema };
  return {
    ...bundle,
    manifest: {
      ...manifest,
      ...toManifestReadings(definition.readings),
      ...(fields && { fields: listInputFields(parts, recallFields(fields, type.piiFields)) }),
      decision_type: type.name,
      version: versionNumber,
      training: bundle.manifest.training ?? toKnownTraining(bundle, versionNumber),
      reason_codes: definition.reason_codes,
      confidence_thresholds: mergeThresholds(definition.confidence_thresholds, ownEscalation),
      escalation_policy: definition.escalation_policy,
      fallback_option: type.fallbackOption,
    },
    rules,
    // A head of a code that is gone stays in the graph and is given for no option.
    reasons: {
      by_option: Object.fromEntries(reasons),
      heads: bundle.reasons.heads.map(({ code, options }) => ({
        code,
        options: definition.reason_codes.includes(code) ? options : [],
      })),
    },
    inputSchema: definition.input_schema,
  };
}
