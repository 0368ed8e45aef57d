import type { Bundle } from '../../engine/bundle/bundle.ts';
import type { RulesOnlyPolicy } from '../../engine/decide/decider.ts';
import { compileRules } from '../../engine/rules/compile.ts';
import type { DecisionTypeRecord, VersionRecord } from '../store/decision-types.ts';
import type { DeployedPolicy } from '../store/deployments.ts';

/** True where the active version still names the options that the policy knows, in any order. */
function sameOptions(policyOptions: readonly string[], options: readonly string[]): boolean {
  const known = new Set(policyOptions);
  return known.size === options.length && options.every((option) => known.has(option));
}

/**
 * What decides for a type now without the bundle of its policy: schema and rules of today as long as the options are
 * the same, else those of the version `trained` that the policy was made from.
 */
export function toRulesOnlyPolicy(
  type: DecisionTypeRecord,
  policy: DeployedPolicy,
  trained: VersionRecord,
): RulesOnlyPolicy {
  const isSame = sameOptions(policy.options, type.activeVersion.definition.options);
  const { definition, id } = isSame ? type.activeVersion : trained;
  const rules = compileRules(definition.hard_rules, definition);
  if (!rules.ok) throw new Error(`the rules of version ${id} do not compile`);
  return {
    rules: rules.value.file,
    inputSchema: definition.input_schema,
    options: policy.options,
    policyVersion: `v${policy.version}`,
  };
}

/**
 * What decides for a type now: the policy as it was trained, with the rules, thresholds, escalation, fallback, schema
 * and name of today as long as the options are the same. `ownEscalation` is the threshold that the training was
 * started with, or null. Golden decisions and model card stay those of the training.
 */
export function withCurrentSettings(bundle: Bundle, type: DecisionTypeRecord, ownEscalation: number | null): Bundle {
  const { definition, versionNumber, id } = type.activeVersion;
  if (!sameOptions(bundle.manifest.options, definition.options)) return bundle;
  const rules = compileRules(definition.hard_rules, definition);
  if (!rules.ok) throw new Error(`the rules of version ${id} do not compile`);
  const { auto_decide, escalation } = definition.confidence_thresholds;
  const reasons = Object.entries(bundle.reasons.by_option).map(([option, codes]) => [
    option,
    codes.filter((code) => definition.reason_codes.includes(code)),
  ]);
  return {
    ...bundle,
    manifest: {
      ...bundle.manifest,
      decision_type: type.name,
      version: versionNumber,
      reason_codes: definition.reason_codes,
      confidence_thresholds: {
        auto_decide: Math.max(auto_decide, ownEscalation ?? 0),
        escalation: ownEscalation ?? escalation,
      },
      escalation_policy: definition.escalation_policy,
      fallback_option: type.fallbackOption,
    },
    rules: rules.value.file,
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
