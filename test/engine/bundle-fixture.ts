import { createHash } from 'node:crypto';
import { type BundleParts, packBundle, unpackBundle } from '../../src/engine/bundle/bundle.ts';
import type { Golden } from '../../src/engine/bundle/manifest.ts';
import type { ClassifierModel, LogisticModel } from '../../src/engine/classifiers/model.ts';
import type { Definition, Rule } from '../../src/engine/domain/definition.ts';
import type { FeaturePlan } from '../../src/engine/features/plan.ts';
import type { JsonObject } from '../../src/engine/json.ts';
import { exportClassifier } from '../../src/engine/onnx/classifier.ts';
import { compileRules } from '../../src/engine/rules/compile.ts';

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
export const zeros = '0'.repeat(64);

/** Loan decisions by one number: amount 0 → 50/50, large amounts → decline, small (negative) ones → approve. */
export const amountPlan: FeaturePlan = {
  format: 1,
  fields: [{ kind: 'number', path: ['amount'], median: 0, mean: 0, std: 1 }],
  tabular_size: 2,
  left_out: [],
  text: null,
};
export const amountModel: LogisticModel = {
  kind: 'logistic',
  dense: Float32Array.of(-1, 1, 0, 0),
  ngram: new Float32Array(0),
  bias: Float32Array.of(0, 0),
  D: 2,
  V: 0,
  K: 2,
};

type Overrides = {
  rules?: Partial<Rule>[];
  plan?: FeaturePlan;
  model?: ClassifierModel;
  golden?: Golden[];
  inputSchema?: JsonObject | null;
  adapters?: BundleParts['adapters'];
  familiarity?: BundleParts['familiarity'];
  heads?: { heads: BundleParts['reasons']['heads']; model: LogisticModel };
  fallbackOption?: string | null;
  thresholds?: Definition['confidence_thresholds'];
  policy?: Partial<Definition['escalation_policy']>;
  text?: BundleParts['manifest']['text'];
};

/** The parts of a small, complete bundle with the options approve and decline. */
export function bundleParts(overrides: Overrides = {}): BundleParts {
  const options = ['approve', 'decline'];
  const reasonCodes = ['AMOUNT', 'VIP'];
  const rules = (overrides.rules ?? []).map((rule, index) => ({
    name: `rule ${index}`,
    condition: 'true',
    then: 'decline',
    reason_code: null,
    priority: 100,
    ...rule,
  }));
  const compiled = compileRules(rules, { options, reason_codes: reasonCodes });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return {
    manifest: {
      tool_version: '0.1.0',
      decision_type: 'loan',
      version: 1,
      policy_id: 'pol_1',
      policy_version: 'v3',
      options,
      reason_codes: reasonCodes,
      confidence_thresholds: overrides.thresholds ?? { auto_decide: 0.85, escalation: 0.6 },
      escalation_policy: {
        enabled: false,
        between: 'flag',
        connection: null,
        timeout_ms: 10_000,
        unfamiliar: 'escalate',
        ...overrides.policy,
      },
      fallback_option: overrides.fallbackOption ?? null,
      created_at: '2026-11-21T14:00:02.000Z',
      classifier: { kind: (overrides.model ?? amountModel).kind },
      text: overrides.text ?? null,
      runtime: null,
    },
    rules: compiled.value.file,
    plan: overrides.plan ?? amountPlan,
    classifier: exportClassifier(overrides.model ?? amountModel),
    reasons: { by_option: { approve: [], decline: ['AMOUNT'] }, heads: overrides.heads?.heads ?? [] },
    reasonHeads: overrides.heads === undefined ? null : exportClassifier(overrides.heads.model),
    adapters: overrides.adapters ?? null,
    familiarity: overrides.familiarity ?? null,
    inputSchema: overrides.inputSchema ?? null,
    golden: overrides.golden ?? [],
    modelCard: '# loan\n',
  };
}

/** A bundle as it is after packing and unpacking. */
export const bundleOf = (overrides: Overrides = {}) => unpackBundle(packBundle(bundleParts(overrides), sha256), sha256);

/** A ZIP with another name in place of one of as many bytes, which may then occur twice. */
export const renameEntry = (zip: Uint8Array, name: string, other: string) =>
  new Uint8Array(Buffer.from(Buffer.from(zip).toString('latin1').replaceAll(name, other), 'latin1'));
