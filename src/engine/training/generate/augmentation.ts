/** Synthetic examples beside those of the user, where the configuration asks for them. */
import type { Metrics } from '../../domain/metrics.ts';
import type { SplitWay, TrainingExample } from '../../domain/training.ts';
import type { OpenRows } from '../../drawn-rows.ts';
import { listIdentifyingFields } from '../../features/identifying-fields.ts';
import { splitRows } from '../../units/sides.ts';
import { type LabelledRow, prepareRows } from '../data/labelled-rows.ts';
import type { Proposal, TrainPorts, TrainRequest } from '../request.ts';
import {
  createEmbeddedTeacher,
  createProposalCheck,
  type EmbeddedTeacher,
  type ProposalCheck,
  type TeacherMaterial,
} from './embedded-teacher.ts';

type Augmentation = {
  /** The examples of the request, then the synthetic ones. */
  examples: TrainingExample[];
  origins: Pick<Metrics, 'augmentation' | 'auto_generation'>;
  /** Sentences on the examples of a connected teacher. */
  notes: string[];
};

type AugmentationRequest = Pick<
  TrainRequest,
  'config' | 'definition' | 'examples' | 'seed' | 'identifying' | 'open'
> & {
  /** All examples of the training: which are the newest follows from these. */
  all: readonly TrainingExample[];
};

/** The source of new examples: those of the training side, and how many each option has by now. */
type Stock = { options: string[]; sources: TrainingExample[]; counts: Map<string, number> };

/** Made examples, and the options that stay below the size that was required of them. */
type Filled = { examples: TrainingExample[]; short: { option: string; sourceCount: number; reached: number }[] };
type Made = { taught: TrainingExample[]; generated: Filled; augmented: Filled; notes: string[] };

/** Examples that a connected teacher is asked for at once, and that it is shown of one option. */
const maxPerTeacherRequest = 20;
const maxShownPerOption = 8;
const nothingFilled: Filled = { examples: [], short: [] };
const nothingMade: Made = { taught: [], generated: nothingFilled, augmented: nothingFilled, notes: [] };

/** Adds synthetic examples up to a minimum or an even share; a teacher's failure becomes a note. */
export async function augmentExamples(
  request: AugmentationRequest,
  teach: TrainPorts['teach'],
  tick: () => void,
): Promise<Augmentation> {
  const { config, definition, examples, all, seed } = request;
  if (!config.augment && !config.auto_generate) {
    const used = definition.options.filter((option) => countOption(examples, option) > 0);
    return {
      examples: [...examples],
      notes: [],
      origins: describeOrigins(config, used, examples.length, 0, nothingMade),
    };
  }
  const { split } = config;
  const identifying = request.identifying ?? listIdentifyingFields(all.map(({ input }) => input));
  const settings = { split, identifying, readings: definition.readings };
  const { rows } = prepareRows(examples, definition.options, settings);
  const placed = split.by === 'date' ? prepareRows(all, definition.options, settings).rows : rows;
  const { sources, avoid } = findSources(examples, placed, split.by, request.open);
  const options = definition.options.filter((option) => sources.some(({ decision }) => decision === option));
  const counts = new Map(options.map((option) => [option, countOption(sources, option)]));
  const stock: Stock = { options, sources, counts };
  const material: TeacherMaterial = { definition, description: '', examples: sources, avoid, identifying, seed };
  const targetSize = config.augment ? (config.augment_target_size ?? 2 * rows.length) : 0;
  const made = await makeExamples(request, stock, material, targetSize, teach, tick);
  return {
    examples: [...examples, ...made.taught, ...made.generated.examples, ...made.augmented.examples],
    notes: made.notes,
    origins: describeOrigins(config, options, rows.length, targetSize, made),
  };
}

const countOption = (examples: readonly TrainingExample[], option: string) =>
  examples.filter(({ decision }) => decision === option).length;

/** The examples of the training side, and the inputs of the held-out ones, which must not be made again. */
function findSources(
  examples: readonly TrainingExample[],
  rows: readonly LabelledRow[],
  by: SplitWay['by'],
  open: OpenRows | undefined,
) {
  const examplesById = new Map(examples.map((example) => [example.id, example]));
  const split = splitRows(rows, by, open);
  const select = (positions: readonly number[]) =>
    positions.flatMap((position) => examplesById.get(rows[position]?.id ?? '') ?? []);
  return { sources: select(split.train), avoid: select(split.test).map(({ input }) => input) };
}

async function makeExamples(
  { config }: AugmentationRequest,
  stock: Stock,
  material: TeacherMaterial,
  targetSize: number,
  teach: TrainPorts['teach'],
  tick: () => void,
): Promise<Made> {
  const check = createProposalCheck(material);
  const teacher = createEmbeddedTeacher(material, check);
  const isTaught = config.auto_generate && teach !== undefined;
  const { examples: taught, notes } = isTaught
    ? await askTeacher(stock, config.min_per_option, teach, check, tick)
    : { examples: [], notes: [] };
  const minimum = config.min_per_option;
  const generated = config.auto_generate ? fillOptions(stock, teacher, minimum, 'generated', tick) : nothingFilled;
  const evenShare = Math.ceil(targetSize / stock.options.length);
  const augmented = config.augment ? fillOptions(stock, teacher, evenShare, 'augmented', tick) : nothingFilled;
  return { taught, generated, augmented, notes };
}

/** Fills every option up to `minimum` examples from the embedded teacher, as far as it can. */
function fillOptions(
  { options, counts }: Stock,
  teacher: EmbeddedTeacher,
  minimum: number,
  idPrefix: string,
  tick: () => void,
): Filled {
  const filled: Filled = { examples: [], short: [] };
  for (const [index, option] of options.entries()) {
    const sourceCount = counts.get(option) ?? 0;
    let reached = sourceCount;
    for (; reached < minimum; reached += 1) {
      const proposal = teacher.propose(option);
      tick();
      if (proposal === null) break;
      filled.examples.push({ ...proposal, id: `${idPrefix}-${index}-${reached}`, source: 'synthetic' });
    }
    if (reached < minimum) filled.short.push({ option, sourceCount, reached });
    counts.set(option, reached);
  }
  return filled;
}

/** Asks a connected teacher to fill every option up to `minimum` examples, until it fails. */
async function askTeacher(
  { options, sources, counts }: Stock,
  minimum: number,
  teach: NonNullable<TrainPorts['teach']>,
  check: ProposalCheck,
  tick: () => void,
): Promise<{ examples: TrainingExample[]; notes: string[] }> {
  const examples: TrainingExample[] = [];
  const failures: string[] = [];
  const shown = options.flatMap((option) =>
    sources.filter(({ decision }) => decision === option).slice(0, maxShownPerOption),
  );
  const ask = async (option: string, count: number): Promise<Proposal[]> => {
    if (failures.length > 0) return [];
    try {
      return await teach({ option, count, examples: shown });
    } catch (error) {
      failures.push(`The connected teacher failed: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  };
  for (const [index, option] of options.entries()) {
    for (let count = counts.get(option) ?? 0; count < minimum; count = counts.get(option) ?? 0) {
      const missing = Math.min(maxPerTeacherRequest, minimum - count);
      const proposals = await ask(option, missing);
      const usable = proposals.filter((one) => one.decision === option && check(one) === 'ok').slice(0, missing);
      if (usable.length === 0) break;
      usable.forEach((proposal, i) => {
        examples.push({ ...proposal, id: `taught-${index}-${count + i}`, source: 'synthetic' });
      });
      counts.set(option, count + usable.length);
      tick();
    }
  }
  return { examples, notes: [...failures, `The connected teacher wrote ${examples.length} examples.`] };
}

function toStatus(isRequested: boolean, { examples, short }: Filled): string {
  if (!isRequested) return 'not_requested';
  if (short.length > 0) return 'partial';
  return examples.length > 0 ? 'completed' : 'not_needed';
}

function describeOrigins(
  config: TrainRequest['config'],
  options: readonly string[],
  originalCount: number,
  targetSize: number,
  { taught, generated, augmented }: Made,
): Augmentation['origins'] {
  const failures = augmented.short.map(
    ({ option, sourceCount, reached }) => `Option "${option}": ${reached} examples made from ${sourceCount}.`,
  );
  const isTaughtEnough = taught.length > 0 && generated.short.length === 0;
  return {
    augmentation: {
      status: toStatus(config.augment, augmented),
      original_count: originalCount,
      augmented_count: augmented.examples.length,
      target_size: targetSize,
      failure_reason: failures.join(' '),
      per_class_counts: Object.fromEntries(options.map((option) => [option, countOption(augmented.examples, option)])),
    },
    auto_generation: {
      status: isTaughtEnough ? 'completed' : toStatus(config.auto_generate, generated),
      generated_count: taught.length + generated.examples.length,
      original_count: originalCount,
      minimum_required: config.min_per_option,
    },
  };
}
