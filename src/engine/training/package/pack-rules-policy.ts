/** Packs a policy of rules alone: it has learned nothing, and inputs that no rule decides get the fallback option. */
import { digestParts, packBundle } from '../../bundle/bundle.ts';
import { listInputFields, seeInputs } from '../../bundle/input-fields.ts';
import { bundleFormatVersion, type ManifestDraft } from '../../bundle/manifest.ts';
import { writeModelCard } from '../../bundle/model-card.ts';
import { compileDecider } from '../../decide/decider.ts';
import { recordGoldenLines } from '../../decide/golden.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import type { JsonObject } from '../../json.ts';
import type { MonotonicClock, Sha256 } from '../../ports.ts';
import type { RulesFile } from '../../rules/rules-file.ts';
import { makeGoldenInputs } from './golden-inputs.ts';

/** The parts of a policy of rules alone; its `fallback_option` is set. */
type RulesPolicyParts = {
  settings: Omit<ManifestDraft, 'classifier' | 'runtime' | 'text'>;
  rules: RulesFile;
  inputSchema: JsonObject | null;
};

const emptyPlan: FeaturePlan = { format: 1, fields: [], tabular_size: 0, left_out: [], text: null };

/** Packs a bundle whose golden inputs come from rules, schema and what five `inputs` share, without personal values. */
export async function packRulesPolicy(
  { settings, rules, inputSchema }: RulesPolicyParts,
  inputs: readonly JsonObject[],
  piiFields: readonly string[],
  ports: { now: MonotonicClock; sha256: Sha256; pause(): Promise<void> },
): Promise<Uint8Array> {
  const fields = listInputFields({ plan: emptyPlan, rules, inputSchema }, seeInputs(inputs, piiFields));
  const golden_inputs = 'synthetic' as const;
  const manifest: ManifestDraft = { ...settings, classifier: null, runtime: null, text: null, fields, golden_inputs };
  const parts = {
    rules,
    plan: emptyPlan,
    classifier: null,
    reasons: { by_option: {}, heads: [] },
    reasonHeads: null,
    adapters: null,
    familiarity: null,
    inputSchema,
    golden: [],
    modelCard: '',
  };
  const decider = compileDecider(
    {
      ...parts,
      manifest: { training: null, ...manifest, format_version: bundleFormatVersion, revision: '', files: {} },
    },
    { encoder: null, tokenizer: null, now: ports.now },
  );
  const decisionType = settings.decision_type;
  const seen = inputs.map((input) => ({ input, option: decisionType }));
  const made = makeGoldenInputs(seen, piiFields, { decisionType, rules, inputSchema });
  const golden = await recordGoldenLines(decider, [{}, ...made], piiFields, ports.pause);
  await ports.pause();
  const digest = digestParts({ ...parts, manifest }, ports.sha256);
  const modelCard = writeModelCard({ ...parts, manifest, digest, golden, metrics: null, promise: null });
  return packBundle({ ...parts, manifest, golden, modelCard }, ports.sha256);
}
