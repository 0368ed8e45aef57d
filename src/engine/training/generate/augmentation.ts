/** The generate stage: synthetic examples beside the given ones where the configuration asks for them. */
import type { Metrics, TrainingExample } from '../../domain.ts';
import { prepareRows } from '../data/prepare.ts';
import { splitRows } from '../data/split.ts';
import type { TrainPorts, TrainRequest } from '../request.ts';
import { createEmbeddedTeacher, createProposalCheck, minimumExamples, type ProposalCheck } from './embedded-teacher.ts';

export type Augmentation = {
  examples: TrainingExample[];
  origins: Pick<Metrics, 'augmentation' | 'auto_generation'>;
  /** Plain sentences about what was generated. */
  notes: string[];
};

type Filled = {
  examples: TrainingExample[];
  /** Options that stay below what was wished, with what was there and what was reached. */
  short: { option: string; have: number; reached: number }[];
};
/** Most examples that a connected teacher is asked for at once, and that it is shown of one option. */
const maxPerQuestion = 20;
const maxShown = 8;
const nothing: Filled = { examples: [], short: [] };

function statusOf(asked: boolean, filled: Filled): string {
  if (!asked) return 'not_requested';
  if (filled.short.length > 0) return 'partial';
  return filled.examples.length > 0 ? 'completed' : 'not_needed';
}

const reasonOf = ({ short }: Filled) =>
  short.map(({ option, have, reached }) => `Option "${option}": ${reached} examples made from ${have}.`).join(' ');

/**
 * Adds synthetic examples: `auto_generate` fills every option up to the minimum, `augment` up to an even share of the
 * target size (twice the labelled examples when none is given). They are made from examples of the training side only,
 * so that nothing of a held-out example is trained on. A connected teacher is asked first for what `auto_generate` needs;
 * what it does not give, the embedded one makes. `tick` is called for each made example. Throws as {@link prepareRows} does.
 */
export async function augmentExamples(
  request: TrainRequest,
  teach: TrainPorts['teach'],
  tick: () => void,
): Promise<Augmentation> {
  const { config, definition, examples, seed } = request;
  const { rows } = prepareRows(examples, definition.options);
  const byId = new Map(examples.map((example) => [example.id, example]));
  const split = splitRows(rows);
  const rowsAt = (positions: readonly number[]) =>
    positions.flatMap((position) => byId.get(rows[position]?.id ?? '') ?? []);
  const sources = rowsAt(split.train);
  const avoid = rowsAt(split.test).map(({ input }) => input);
  const options = definition.options.filter((option) => sources.some((source) => source.decision === option));
  const material = { definition, description: '', examples: sources, avoid, seed };
  const asked = config.augment || config.auto_generate;
  const check: ProposalCheck | null = asked ? createProposalCheck(material) : null;
  const teacher = check === null ? null : createEmbeddedTeacher(material, check);
  const notes: string[] = [];
  const counts = new Map(options.map((option) => [option, sources.filter((one) => one.decision === option).length]));

  const fill = (wished: number, name: string): Filled => {
    const filled: Filled = { examples: [], short: [] };
    for (const option of options) {
      const have = counts.get(option) ?? 0;
      let reached = have;
      for (; reached < wished; reached += 1) {
        const proposal = teacher?.propose(option) ?? null;
        tick();
        if (proposal === null) break;
        filled.examples.push({ ...proposal, id: `${name}-${options.indexOf(option)}-${reached}`, source: 'synthetic' });
      }
      if (reached < wished) filled.short.push({ option, have, reached });
      counts.set(option, reached);
    }
    return filled;
  };
  /** What a connected teacher gives of what is missing; a failure of it becomes a note. */
  const ask = async (): Promise<TrainingExample[]> => {
    const given: TrainingExample[] = [];
    if (teach === undefined || check === null || !config.auto_generate) return given;
    const shown = options.flatMap((option) => sources.filter(({ decision }) => decision === option).slice(0, maxShown));
    try {
      for (const option of options) {
        for (let have = counts.get(option) ?? 0; have < minimumExamples.perOption; have = counts.get(option) ?? 0) {
          const wanted = Math.min(maxPerQuestion, minimumExamples.perOption - have);
          const proposals = await teach({ option, count: wanted, examples: shown });
          const usable = proposals.filter((one) => one.decision === option && check(one) === 'ok').slice(0, wanted);
          if (usable.length === 0) break;
          usable.forEach((proposal, i) => {
            const id = `taught-${options.indexOf(option)}-${have + i}`;
            given.push({ ...proposal, id, source: 'synthetic' });
          });
          counts.set(option, have + usable.length);
          tick();
        }
      }
    } catch (error) {
      notes.push(`The connected teacher failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    notes.push(`The connected teacher wrote ${given.length} examples.`);
    return given;
  };
  const taught = await ask();
  const generated = config.auto_generate ? fill(minimumExamples.perOption, 'generated') : nothing;
  const target = config.augment_target_size ?? 2 * rows.length;
  const augmented = config.augment ? fill(Math.ceil(target / options.length), 'augmented') : nothing;
  const perClass = options.map((option): [string, number] => [
    option,
    augmented.examples.filter((example) => example.decision === option).length,
  ]);
  return {
    examples: [...examples, ...taught, ...generated.examples, ...augmented.examples],
    notes,
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
        status:
          taught.length > 0 && generated.short.length === 0 ? 'completed' : statusOf(config.auto_generate, generated),
        generated_count: taught.length + generated.examples.length,
        original_count: rows.length,
        minimum_required: minimumExamples.perOption,
      },
    },
  };
}
