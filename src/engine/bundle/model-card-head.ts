/** The head of a model card for programs, under the keys of Hugging Face. */
import type { Metrics } from '../domain/metrics.ts';
import type { FeaturePlan } from '../features/plan.ts';
import { type ManifestDraft, usualBaseModel } from './manifest.ts';

type HeadFacts = { manifest: ManifestDraft; plan: FeaturePlan; metrics: Metrics | null };

/** Writes the head as YAML between lines of three dashes, a key a line; each value is JSON, which YAML includes. */
export function writeCardHead({ manifest, plan, metrics }: HeadFacts): string {
  const { classifier } = manifest;
  const name = `${manifest.decision_type} ${manifest.policy_version}`;
  const task = plan.text === null ? 'tabular-classification' : 'text-classification';
  const facts = {
    license: 'other',
    license_name: 'see LICENSES',
    license_link: 'LICENSES',
    library_name: 'decision-edge',
    pipeline_tag: task,
    tags: ['decision-workbench', ...(classifier === null ? ['rules'] : ['onnx', classifier.kind])],
    ...(plan.text?.encoder && { base_model: manifest.text?.base_model ?? usualBaseModel }),
    ...(metrics?.test_size && {
      metrics: ['accuracy', 'f1'],
      'model-index': [{ name, results: [measure(task, metrics)] }],
    }),
  };
  const lines = Object.entries(facts).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return ['---', ...lines, '---'].join('\n');
}

function measure(task: string, { accuracy, macro_f1, test_size, whole }: Metrics): object {
  const share = whole?.accuracy.share ?? null;
  return {
    task: { type: task },
    dataset: { type: 'private', name: `${test_size} held-out examples` },
    metrics: [
      ...(share === null ? [] : [{ type: 'accuracy', name: 'Accuracy of the whole decision', value: share }]),
      { type: 'accuracy', name: 'Accuracy of the classifier', value: accuracy },
      { type: 'f1', name: 'Macro F1 of the classifier', value: macro_f1 },
    ],
  };
}
