/** A training: the examples it learns from, its settings, its stages and the statuses of the policy that it makes. */
import { z } from 'zod';
import { type JsonObject, orNull } from '../json.ts';
import { limits } from '../limits.ts';

/** Where a label is from: a person, a teacher, a corrected live decision (not a random one), or hints. */
export type RowSource = 'user' | 'synthetic' | 'correction' | 'hint';

/** Below this many held-out examples of an option its recall says nothing. */
export const minSupport = 10;

export type TrainingExample = {
  /** Names it in results; copies and near repeats are known by their content. */
  id: string;
  /** When it came, in milliseconds: near repeats follow the oldest. Left out: as old as others. */
  addedMs?: number;
  input: JsonObject;
  decision: string | null;
  /** The label that it is measured by where it is held out; left out or null: its decision. */
  firstDecision?: string | null;
  reasonCodes: string[];
  source: RowSource;
  /** Whether the analyst marked it as a test row: it is measured on and never learned from. Left out: no. */
  test?: boolean;
  /** Whether it came without its label, which a person gave it later. Left out: no. */
  later?: boolean;
  /** Whether its label came when a policy of the type could answer already. Left out: no. */
  answered?: boolean;
  /** Whether it is left to a rule: only the whole decision is measured on it. Left out: no. */
  ruled?: boolean;
};

/** The kind of inputs that the golden decisions of a bundle are made of. */
export const goldenInputKinds = ['synthetic', 'examples'] as const;

/** The text models that come with the program. */
export const programTextModels = ['english', 'fast'] as const;
export type ProgramTextModel = (typeof programTextModels)[number];

const textModelName = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'must be a name of small letters, digits and hyphens');

/** The name of a text model that a user adds. */
export const ownTextModelNameSchema = textModelName.refine(
  (name) => !['auto', 'words', ...programTextModels].includes(name),
  'must not be the name of a way to read texts that comes with the program',
);

const trainedRows = ['all', 'left_by_rules'] as const;
const rareOptionModes = ['measure', 'learn', 'refuse', 'set_aside', 'fallback'] as const;

/** The ways in which rows are held out. */
export const splitWays = ['random', 'date', 'group', 'column'] as const;

export const splitSchema = z
  .strictObject({
    by: z
      .enum(splitWays)
      .describe(
        '`random`: about a fifth, by a hash of the input; `date`: the newest fifth by a field; `group`: about a fifth of a field’s values (sentences of one template are one) with all their examples; `column`: the examples whose field says `test`, `held out`, `true`, `yes` or 1',
      ),
    field: orNull(
      z.string().min(1).max(1_000),
      'A field of the input, or several with “ + ” between them; null at random',
    ),
  })
  .refine(({ by, field }) => (by === 'random') === (field === null), {
    path: ['field'],
    error: 'must name a field of the input, unless rows are held out at random',
  });
export type SplitWay = z.infer<typeof splitSchema>;
/** Stands between the names of fields that tell a case, or its time, together. */
export const fieldSeparator = ' + ';
/** Names a field, or several together, in quotation marks. */
export const nameFields = (field: string): string =>
  field
    .split(fieldSeparator)
    .map((name) => JSON.stringify(name))
    .join(' with ');
/** Where nothing else is chosen. */
export const atRandom: SplitWay = { by: 'random', field: null };

export const trainingConfigSchema = z
  .strictObject({
    augment: z.boolean().default(false).describe('Fill up the training side with varied copies'),
    augment_target_size: orNull(z.int().min(1).max(limits.maxExamples), 'Rows to reach with augment'),
    auto_generate: z.boolean().default(false).describe('Have the teacher fill up options with too few examples'),
    min_per_option: z
      .int()
      .min(limits.leastExamplesPerOption)
      .max(1_000)
      .default(limits.minExamplesPerOption)
      .describe('Labelled examples from which an option is decided alone'),
    rare_options: z
      .enum(rareOptionModes)
      .default('measure')
      .describe(
        'Options with fewer: `measure` whether they may be decided alone from 16 or 8 on; `learn` them from two on, never decided alone (as `set_aside`); `refuse` the training; or learn them as one that ends in the `fallback`',
      ),
    train_on: z
      .enum(trainedRows)
      .default('all')
      .describe('Learn from all examples, or those that no hard rule decides: the classifier meets no others'),
    split: splitSchema
      .default(atRandom)
      .describe(
        'How rows are held out; marked test rows go before it. Where the examples show that the classifier is certainly less often right of new customers, times or wordings than of rows at random, it holds these out in place of `random`',
      ),
    days_between: z.boolean().default(true).describe('Learn the days between two dates as an input by itself'),
    tune_hyperparams: z.boolean().default(true).describe('Choose the settings of the classifier by trials'),
    n_tuning_trials: z.int().min(1).max(200).default(20).describe('Trials of tune_hyperparams'),
    target_f1: orNull(z.number().min(0).max(1), 'Least macro F1 for a deployment; null: any'),
    auto_deploy: z
      .boolean()
      .default(true)
      .describe('Deploy the policy when it is done and good enough: needs the scope deploy, too'),
    escalation_threshold: orNull(
      z.number().min(0).max(1),
      'Threshold of escalation of this policy; null: that of the type',
    ),
    refit: z.boolean().default(true).describe('Fit the measured model again on all examples'),
    text_model: textModelName
      .default('auto')
      .describe(
        'How texts are read: `words` by word pieces alone; `fast` by the multilingual USE, for sixteen languages at a third of the time of `english`, MiniLM; or by a text model of one’s own, by its name; `auto` by the smallest that is as good as the best on folds',
      ),
    tune_encoder: z
      .union([z.literal('auto'), z.boolean()])
      .default('auto')
      .describe(
        'Tunes the text model `english`, for minutes, taken where better: `true` before the policy is there; `auto` after it, where that leaves room',
      ),
    tuning_tokens: z
      .int()
      .min(10_000)
      .max(10_000_000)
      .default(400_000)
      .describe('Tokens that tuning may go through, over all steps; 400,000 take about three minutes on two cores'),
    seed: orNull(
      z
        .int()
        .min(0)
        .max(2 ** 31 - 1),
      'What all chance in the training follows from; null: the digest of the examples',
    ),
    golden_inputs: z
      .enum(goldenInputKinds)
      .default('synthetic')
      .describe('What a bundle tests itself by: inputs made up of what five examples share, or examples as they are'),
  })
  .meta({ id: 'TrainingConfig' });
export type TrainingConfig = z.infer<typeof trainingConfigSchema>;

/** Stages of a training run in their order, with the name that is shown. */
export const trainingStages = [
  { stage: 'generate', name: 'Generate examples' },
  { stage: 'prepare', name: 'Prepare data' },
  { stage: 'features', name: 'Learn features' },
  { stage: 'text_model', name: 'Fit text model' },
  { stage: 'classifier', name: 'Train classifier' },
  { stage: 'evaluate', name: 'Evaluate' },
  { stage: 'package', name: 'Compile and package' },
] as const;
export type TrainingStage = (typeof trainingStages)[number]['stage'];

export const policyStatuses = [
  'queued',
  'training',
  'stopping',
  'cancelling',
  'cancelled',
  'trained',
  'deployed',
  'failed',
] as const;
export type PolicyStatus = (typeof policyStatuses)[number];

/** The statuses of a policy whose training holds the training slot of its organisation. */
export const slotStatuses = ['training', 'stopping', 'cancelling'] as const satisfies readonly PolicyStatus[];

/** The statuses of a policy whose training has not ended: it waits for the slot or holds it. */
export const inProgressStatuses = ['queued', ...slotStatuses] as const satisfies readonly PolicyStatus[];

/** Whether a training is still under way in this status. */
export function isInProgress(status: PolicyStatus): boolean {
  return (inProgressStatuses as readonly PolicyStatus[]).includes(status);
}
