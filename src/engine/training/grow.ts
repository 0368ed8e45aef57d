/** The generate stage: synthetic examples beside the given ones where the configuration asks for them. */
import type { Metrics, TrainingExample } from '../domain.ts';
import { type Generated, generateExamples, minimumExamples } from './generate.ts';
import { prepareRows } from './prepare.ts';
import type { TrainRequest } from './request.ts';
import { splitRows } from './split.ts';

export type Grown = { examples: TrainingExample[]; origins: Pick<Metrics, 'augmentation' | 'auto_generation'> };

const nothing: Generated = { examples: [], short: [] };

function statusOf(asked: boolean, generated: Generated): string {
  if (!asked) return 'not_requested';
  if (generated.short.length > 0) return 'partial';
  return generated.examples.length > 0 ? 'completed' : 'not_needed';
}

const reasonOf = ({ short }: Generated) =>
  short.map(({ option, have, reached }) => `Option "${option}": ${reached} examples made from ${have}.`).join(' ');

/**
 * Adds synthetic examples: `auto_generate` fills every option up to the minimum, `augment` up to an even share of the
 * target size (twice the labelled examples when none is given). They are made from examples of the training side only,
 * so that nothing of a held-out example is trained on. Throws as {@link prepareRows} does.
 */
export function growExamples(request: TrainRequest): Grown {
  const { config, definition, examples } = request;
  const { rows } = prepareRows(examples, definition.options);
  const byId = new Map(examples.map((example) => [example.id, example]));
  const sources = splitRows(rows).train.flatMap((position) => byId.get(rows[position]?.id ?? '') ?? []);
  const options = definition.options.filter((option) => sources.some((source) => source.decision === option));
  const generated = config.auto_generate
    ? generateExamples(sources, options, minimumExamples.perOption, request.seed)
    : nothing;
  const filled = [...sources, ...generated.examples];
  const target = config.augment_target_size ?? 2 * rows.length;
  const augmented = config.augment
    ? generateExamples(filled, options, Math.ceil(target / options.length), request.seed + 1)
    : nothing;
  // Both steps number their examples per option, so the second one gets names of its own.
  const renamed = augmented.examples.map((example) => ({ ...example, id: `augmented-${example.id}` }));
  const perClass = options.map((option): [string, number] => [
    option,
    augmented.examples.filter((example) => example.decision === option).length,
  ]);
  return {
    examples: [...examples, ...generated.examples, ...renamed],
    origins: {
      augmentation: {
        status: statusOf(config.augment, augmented),
        original_count: rows.length,
        augmented_count: augmented.examples.length,
        target_size: config.augment ? target : 0,
        failure_reason: reasonOf(augmented),
        per_class_counts: Object.fromEntries(perClass),
      },
      auto_generation: {
        status: statusOf(config.auto_generate, generated),
        generated_count: generated.examples.length,
        original_count: rows.length,
        minimum_required: minimumExamples.perOption,
      },
    },
  };
}
