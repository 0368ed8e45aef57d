/** The state of a training run; a stage returns its additions, so that a wrong order does not compile. */
import type { Metrics } from '../../domain/metrics.ts';
import type { TrainingExample } from '../../domain/training.ts';
import type { CheckName } from '../../features/familiarity.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import type { EarlierAnswer } from '../../findings/taken-out.ts';
import type { MeasuredShare } from '../../measured.ts';
import type { Adapters, LanguageDetector } from '../../ports.ts';
import type { CompiledRules } from '../../rules/rules-file.ts';
import type { EncodedTexts, LabelledRow } from '../data/labelled-rows.ts';
import type { Minimum, RareOptions } from '../data/rare-options.ts';
import type { ModelEvaluation } from '../evaluate/evaluate-model.ts';
import type { ProgressReporter } from '../progress.ts';
import type { TrainPorts, TrainRequest } from '../request.ts';
import type { JudgedRows } from '../select/choose-classifier.ts';
import type { TextChoice } from '../select/choose-text.ts';
import type { ClassifierChoice, FittedModel } from '../select/fit-choice.ts';
import type { EncodedFold } from '../tune/compare-encoders.ts';

export type Run = { request: TrainRequest; ports: TrainPorts; progress: ProgressReporter };

/** Once it is decided what one case is: the request says how rows are held out. */
export type DecidedRun = Run & {
  /** Whether the rows said so, and no person. */
  isWayFound: boolean;
  /** Ways that are not certainly lower than the one that was taken. */
  triedWays: NonNullable<Metrics['other_ways']>;
};

/** Sentences for the report: each stage returns those before it followed by its own. */
type Notes = { notes: readonly string[] };

/** After generate: the compiled rules, the rare options, and the examples with the synthetic ones. */
export type Generated = Notes & {
  rules: CompiledRules;
  rare: RareOptions;
  examples: TrainingExample[];
  ruled: TrainingExample[];
  origins: Pick<Metrics, 'augmentation' | 'auto_generation'>;
};

/** After prepare: labelled rows, and which of them are trained on and held out. */
export type Prepared = Notes & {
  /** Those of options that are learned. */
  rows: LabelledRow[];
  /** For each label the index of its option in the definition. */
  presentOptions: number[];
  /** The indices of options that are learned as one, under the label of the first; none, or at least two. */
  sharing: number[];
  trainRows: LabelledRow[];
  /** The held-out rows, also those that are not learned; none where there are too few examples. */
  testRows: LabelledRow[];
  /** The rows that figures are measured on: those held out, or the training rows where none are. */
  measuredRows: LabelledRow[];
  split: NonNullable<Metrics['split']>;
  leftToRules: Metrics['left_to_rules'];
  /** Rows that were taken out after a model got them wrong: measured, too, by what it answered. */
  takenOut: EarlierAnswer[];
};

/** After features: the plan of the fields, learned from the training rows; the use of text is open. */
export type Planned = Notes & { fieldPlan: FeaturePlan; directions: Metrics['directions'] };

/** After the text models were compared: the ports read by the chosen one. */
export type TextModelCompared = Notes &
  Pick<Run, 'ports'> & {
    /** Texts that the chosen one has read, and their use by the training rows compared. */
    known: { texts: EncodedTexts; choice: TextChoice; isOfAll: boolean } | null;
    detectLanguage: LanguageDetector | null;
    languages: Metrics['languages'];
    textModels: Metrics['text_models'];
  };

export type TunedText = {
  adapters: Adapters;
  /** Parameters of the head that was tuned with them. */
  head: Float64Array;
  /** On which tuning was tried, each with adapters of its own, which have not seen the rows held out. */
  folds: readonly EncodedFold[];
  plain: { texts: EncodedTexts; choice: TextChoice };
};

/** After text_model: encoded texts, their use with its folds, and the outcome of a tuning. */
export type TextModelled = Notes & {
  texts: EncodedTexts;
  textChoice: TextChoice;
  /** The tuning of the encoder of `texts`; null for the plain encoder. */
  tuned: TunedText | null;
  textTuning: Metrics['text_tuning'];
};

/**
 * A minimum to choose among. Of the decisions alone that it adds to the one before, folds show how many are wrong, and
 * the thresholds which share may be; null for the first, and once one has failed.
 */
export type OpenMinimum = Minimum & { added: { wrong: MeasuredShare; allowed: number } | null };

/** After classifier: the choice, the model that saw the training rows only, and which options may be decided alone. */
export type Classified = Notes &
  Pick<Generated, 'rare'> & {
    choice: ClassifierChoice;
    /** The cross-validation of the choice; null where nothing was compared. */
    judged: JudgedRows | null;
    measuredModel: FittedModel;
    /** Falling; none where there was no choice. */
    minima: readonly OpenMinimum[];
  };

/** After evaluate: the figures of the measured model on rows that it has not seen, and the model to be packed. */
export type Evaluated = {
  evaluation: ModelEvaluation;
  /** By which checks the policy tells unfamiliar inputs. */
  checks: readonly CheckName[];
  finalModel: FittedModel;
  finalRows: readonly LabelledRow[];
};
