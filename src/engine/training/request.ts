/** The request and the result of a training run. */
import type { Definition } from '../domain/definition.ts';
import type { Metrics } from '../domain/metrics.ts';
import type { TrainingConfig, TrainingExample, TrainingStage } from '../domain/training.ts';
import type { OpenRows } from '../drawn-rows.ts';
import type { LabelCheck } from '../findings/labels.ts';
import type { EarlierAnswer } from '../findings/taken-out.ts';
import type { JsonObject } from '../json.ts';
import type {
  BatchTextEncoder,
  LanguageDetector,
  ModelRunner,
  MonotonicClock,
  Sha256,
  TextEncoder,
  TuningGraph,
} from '../ports.ts';
import type { Tokenizer } from '../text/tokenizer.ts';

export type TrainRequest = {
  policyId: string;
  policyVersion: number;
  decisionType: string;
  versionNumber: number;
  definition: Definition;
  fallbackOption: string | null;
  examples: TrainingExample[];
  config: TrainingConfig;
  seed: number;
  toolVersion: string;
  /** Digest of the examples and version of Node, to repeat the run with; left out where unknown. */
  provenance?: { snapshotSha256: string; node: string };
  /** Held-out inputs that earlier policies got wrong, by `toMeasuredLabel`; left out: none. */
  doubtedLabels?: string[];
  /** Answers of earlier policies whose wrong rows are gone, the newest first; left out: none. */
  earlier?: EarlierAnswer[][];
  /** ISO 8601 */
  createdAt: string;
  /** Whether the type promises an error: then other ways to hold out are measured before the policy may decide. */
  isPromised?: boolean;
  /** Whether a person said what one case is, as `config.split` has it: then the rows are not asked. Left out: no. */
  isAnswered?: boolean;
  /** Paths of fields that only tell rows apart (`listIdentifyingFields`); left out: as the examples show. */
  identifying?: string[][];
  /** The type's rows without a label by a person; left out: none. */
  open?: OpenRows;
  /** Rows that were drawn and deleted when they were offered, without a label; left out: none. */
  drawnDeletions?: number;
  /** When the first policy of the type was ready to answer, in milliseconds; left out: none was. */
  answersFrom?: number;
  /** Answers of policies of other types to inputs that they had not seen; left out: none. */
  elsewhere?: AnswersElsewhere[];
  /** Inputs of some of them, drawn by their numbers; left out: none. */
  openInputs?: JsonObject[];
  /** Dotted paths of personal data: their values never enter the bundle. */
  piiFields?: string[];
};

/** Held-out answers of a policy, named in words, by the hash of the whole input. */
export type AnswersElsewhere = {
  policy: string;
  answers: { inputHash: number; expected: string; predicted: string }[];
};

/** An example that a teacher proposes; its receiver gives it an id. */
export type Proposal = { input: JsonObject; decision: string; reasonCodes: string[] };

/** A request to a connected teacher: up to `count` new inputs of an option. It is shown `examples`, none held out. */
export type TeacherRequest = { option: string; count: number; examples: TrainingExample[] };

export type TextModelPorts = {
  /** Null where texts are read by their words alone. */
  encoder: BatchTextEncoder | null;
  /** Encodes every text again, where `encoder` may know some: by it decisions are timed. Left out: by `encoder`. */
  freshEncoder?: TextEncoder;
  /** The model that the encoder was made from, as model cards name it; left out: {@link usualBaseModel}. */
  baseModel?: string;
  tokenizer: Tokenizer;
  tokenizerSha256: string;
  /** Loads the graph by whose steps the encoder is tuned; left out where it has none and stays as it is. */
  openTuningGraph?(): Promise<TuningGraph>;
};

/** The reading of texts by their words alone, without a text model and its tokenizer. */
export const readByWords: TextModelPorts = { encoder: null, tokenizer: { encode: () => [] }, tokenizerSha256: '' };

export type CandidateTextModel = TextModelPorts & {
  name: string;
  /** Whether the user added it. */
  isOwn: boolean;
  encoder: BatchTextEncoder;
  /** By ISO 639-1; none where they are not known. */
  languages: readonly string[];
  sizeMb: number;
};

export type TrainPorts = TextModelPorts & {
  /** The text models to choose among, the fastest first, or none; left out: texts are read by that of these ports. */
  candidates?: readonly CandidateTextModel[];
  /** Loads the detector where there is text; left out: languages are not looked at. */
  openLanguageDetector?(): Promise<LanguageDetector>;
  /** Left out where there is no runtime of ONNX: an exported graph is then read back and scored by the engine. */
  runModel?: ModelRunner;
  /** The runtime of the encoder, with its version: golden lines are exact only there. */
  runtimeVersion: string;
  sha256: Sha256;
  now: MonotonicClock;
  /** `fraction` (0–1) is of the whole run and never falls. */
  progress(report: { stage: TrainingStage; fraction: number; message: string }): void;
  /** Asks a connected teacher; left out where none is connected. Rejects when it cannot be asked. */
  teach?(request: TeacherRequest): Promise<Proposal[]>;
  /** True when the run should stop at the next opportunity. */
  cancelled?(): boolean;
};

/**
 * One held-out example as the evaluated model saw it; probabilities are in the order of the definition's options, 0 for
 * those that were set aside, so that 1 less their sum is what these have together.
 */
export type HeldOutRow = {
  example_id: string;
  expected: string;
  predicted: string;
  probabilities: number[];
  /** Whether the input is unlike the examples that were learned from. */
  unfamiliar: boolean;
  /** Whether it was left to a rule: what the classifier says about it is not a figure of the classifier. */
  ruled: boolean;
  /** Hash of the canonical JSON of the input that was measured: an example that was edited since no longer counts. */
  input_hash: number;
};

export type PolicyName = Pick<TrainRequest, 'policyId' | 'policyVersion'>;

export type PackedPolicy = {
  bundle: Uint8Array;
  metrics: Metrics;
  heldOut: HeldOutRow[];
};

export type TrainOutcome = PackedPolicy & {
  /** Computes the rest of the report from what the run holds in memory; throws 'conflict' when it is cancelled. */
  followUp(): FollowUp;
  /** Tunes the text model for a policy of its own name; null where that is not asked for or promises too little. */
  tuneLater: ((name: PolicyName) => Promise<TunedLater>) | null;
};

/** The result of tuning, null where it could not be tried; `better` is the policy to offer, or null. */
export type TunedLater = { textTuning: Metrics['text_tuning']; better: PackedPolicy | null };

/** The rest of the metrics, and a check for each row whose label could be checked, in the order of the rows. */
export type FollowUp = {
  metrics: Pick<Metrics, 'learning_curve' | 'follow_up' | 'other_ways' | 'hints'>;
  labelChecks: LabelCheck[];
};
