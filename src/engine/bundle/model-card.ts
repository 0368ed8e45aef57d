/** The model card of a bundle. */
import type { Metrics } from '../domain.ts';
import type { FeaturePlan } from '../features/plan.ts';
import type { RulesFile } from '../rules/compile.ts';
import type { ManifestDraft } from './manifest.ts';

/** What a model card is written from. */
export type ModelCardFacts = {
  manifest: ManifestDraft;
  plan: FeaturePlan;
  rules: RulesFile;
  /** Figures of the settings in the manifest. */
  metrics: Metrics;
  /** What is promised of its automatic decisions, in a sentence, and when that was made; null without a promise. */
  promise: { sentence: string; madeAt: string } | null;
};

const classifierWords: Record<ManifestDraft['classifier']['kind'], string> = {
  logistic: 'logistic classifier',
  trees: 'classifier of boosted trees',
  blend: 'blend of a logistic classifier and boosted trees',
};

const formatPercent = (share: number): string => `${(share * 100).toFixed(1)} %`;
/** Keeps names that users chose from breaking the table or starting markup. */
const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[\r\n]+/g, ' ').replaceAll(/[\\`|<>*_#[\]]/g, (mark) => `\\${mark}`);

function describeText(plan: FeaturePlan): string {
  if (plan.text === null) return 'It reads no text.';
  const fields = plan.text.fields.map((path) => escapeMarkdown(path.join('.'))).join(', ');
  const ways: string[] = [];
  if (plan.text.ngrams !== null) ways.push(`${plan.text.ngrams.idf.length} word pieces and pairs of them`);
  if (plan.text.encoder !== null) {
    const { max_tokens, adapters } = plan.text.encoder;
    const kind = adapters === undefined ? 'a sentence encoder' : 'a sentence encoder that was tuned on the examples';
    ways.push(`${kind} (first ${max_tokens} tokens)`);
  }
  return `It reads the text of ${fields} by ${ways.join(' and ') || 'nothing'}.`;
}

function writeOptionTable(facts: ModelCardFacts): string {
  const rows = facts.manifest.options.map((option) => {
    const numbers = Object.hasOwn(facts.metrics.per_class, option) ? facts.metrics.per_class[option] : undefined;
    const cell = (name: string): string => {
      const value = numbers !== undefined && Object.hasOwn(numbers, name) ? numbers[name] : undefined;
      if (value === undefined) return '-';
      return name === 'support' ? String(value) : value.toFixed(3);
    };
    return `| ${escapeMarkdown(option)} | ${cell('precision')} | ${cell('recall')} | ${cell('f1')} | ${cell('support')} |`;
  });
  return ['| option | precision | recall | F1 | test rows |', '|---|---|---|---|---|', ...rows].join('\n');
}

function describeOrigin({ version, created_at, tool_version, training }: ManifestDraft): string {
  const trainedOn = training?.version ?? version;
  const sentences = [
    `Trained ${created_at} on version ${trainedOn} of the decision type with Decision Workbench ${tool_version}.`,
  ];
  if (trainedOn !== version) {
    sentences.push(`Rules, thresholds and the other settings in it are those of version ${version}.`);
  }
  const { snapshot_sha256, seed, node, runtime } = training ?? {};
  if (snapshot_sha256) sentences.push(`The SHA-256 of its examples is ${snapshot_sha256}, its seed ${seed}.`);
  if (node && runtime) sentences.push(`It was computed with Node ${node} and ${runtime}.`);
  return sentences.join(' ');
}

/** The whole decision and its promise, as list items; none for policies that were measured by an earlier version. */
function describeWhole({ metrics: { whole, split }, promise }: ModelCardFacts): string[] {
  const lines = whole === null ? [] : [`- rules, classifier and thresholds of this bundle together: ${whole.sentence}`];
  if (promise !== null) lines.push(`- ${promise.sentence} Promised ${promise.madeAt}.`);
  if (split?.refitted === true) {
    lines.push('- these figures are of the model before it was fitted again on all examples');
  }
  return lines;
}

function describeCalibration({ ece, ece_before: before }: Metrics): string[] {
  if (ece === null || before === null) return ['- calibration error: too few rows to say'];
  return [`- calibration error ${ece.toFixed(3)} (before calibration ${before.toFixed(3)})`];
}

/** The bundle's `model-card.md`: in plain words what was trained on what, how well it does and how to run it. */
export function writeModelCard(facts: ModelCardFacts): string {
  const { manifest, metrics, plan, rules } = facts;
  const { auto_decide: auto, escalation } = manifest.confidence_thresholds;
  const fallback =
    manifest.fallback_option === null
      ? 'No fallback option is set.'
      : `The fallback option is ${escapeMarkdown(manifest.fallback_option)}.`;
  const interval = metrics.accuracy_interval;
  const range =
    interval === null
      ? ''
      : ` (${formatPercent(interval.low)} to ${formatPercent(interval.high)} with 95 % confidence)`;
  const leftOut = plan.left_out.map((entry) => `- ${escapeMarkdown(entry.path)}: ${escapeMarkdown(entry.reason)}`);
  const notes = metrics.notes.map((note) => `- ${escapeMarkdown(note)}`);
  const parts = [
    `# ${escapeMarkdown(manifest.decision_type)}, policy ${manifest.policy_version}`,
    describeOrigin(manifest),
    '## What it decides',
    `One of ${manifest.options.length} options: ${manifest.options.map(escapeMarkdown).join(', ')}.`,
    `${rules.rules.length} hard rules are tried first. Otherwise a calibrated ${classifierWords[manifest.classifier.kind]} with ${metrics.feature_count} features decides. ${describeText(plan)}`,
    `A confidence of ${auto} or more decides directly. Below ${escalation} the decision is handed over. ${fallback}`,
    '## How well it does',
    `Trained on ${metrics.train_size} examples and measured on ${metrics.test_size} that it had not seen:`,
    [
      `- accuracy ${formatPercent(metrics.accuracy)}${range}, macro F1 ${metrics.macro_f1.toFixed(3)}, log loss ${metrics.log_loss.toFixed(3)}`,
      ...describeWhole(facts),
      ...describeCalibration(metrics),
      `- ${formatPercent(metrics.escalation_estimate)} of decisions are expected to escalate`,
    ].join('\n'),
    writeOptionTable(facts),
    metrics.familiarity === null
      ? 'It has no way to tell inputs that are unlike the examples.'
      : `Inputs unlike the examples are called unfamiliar. ${metrics.familiarity.sentence}`,
    'These figures hold for inputs like the examples. Measure again when the inputs change.',
    ...(notes.length > 0 ? ['## Notes', notes.join('\n')] : []),
    ...(leftOut.length > 0 ? ['## Fields left out', leftOut.join('\n')] : []),
    '## What is inside',
    'The hard rules, the feature plan, the classifier (ONNX), reason codes, and golden decisions to test an implementation against. The settings and the SHA-256 of every file are in `manifest.json`; terms are in `LICENSES`.',
    manifest.text === null
      ? 'Nothing else is needed to run it.'
      : 'It reads text: a full bundle holds the text files, a slim one names them by SHA-256.',
    '## How to run it from Python',
    '```python\nfrom decision_edge import EdgePredictor\n\npredictor = EdgePredictor.from_bundle("bundle.zip")\nprint(predictor.predict({"field": "value"}))\n```',
  ];
  return `${parts.join('\n\n')}\n`;
}
