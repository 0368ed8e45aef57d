/** What a training run is given and what it gives back. */
import type { Definition, JsonObject, Metrics, TrainingConfig, TrainingExample, TrainingStage } from '../domain.ts';
import type { BatchTextEncoder, ModelRunner, ModelSession, MonotonicClock, Sha256 } from '../ports.ts';
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
  /** Digest of the examples and version of Node, for whoever wants to repeat the run; left out where unknown. */
  provenance?: { snapshotSha256: string; node: string };
  /** ISO 8601 */
  createdAt: string;
  /** Dotted paths of personal data: their values never enter the bundle. */
  piiFields?: string[];
};

/** An example that a teacher proposes; whoever receives it gives it an id. */
export type Proposal = { input: JsonObject; decision: string; reasonCodes: string[] };

/** A request to a connected teacher: up to `count` new inputs of an option. It is shown `examples`, none held out. */
export type TeacherRequest = { option: string; count: number; examples: TrainingExample[] };

export type TrainPorts = {
  encoder: BatchTextEncoder;
  tokenizer: Tokenizer;
  tokenizerSha256: string;
  runModel: ModelRunner;
  /** Loads the graph by whose steps the encoder is tuned; left out where it has none and stays as it is. */
  openTuningGraph?(): Promise<ModelSession>;
  /** What runs the encoder, with its version: golden lines are exact only there. */
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

/** One held-out example as the evaluated model saw it; probabilities are in the order of the definition's options. */
export type HeldOutRow = {
  example_id: string;
  expected: string;
  predicted: string;
  probabilities: number[];
  /** Whether the input is unlike the examples that were learned from. */
  unfamiliar: boolean;
  /** {@link hashInput} of the input that was measured: an example that was edited since does not count any more. */
  input_hash: number;
};

/**
 * What models that have not seen an example say of its label: the label's probability, the likeliest other option with
 * its probability, how doubtful the label is (0 to 1, higher is worse), and whether it is suspect.
 */
export type LabelCheck = {
  example_id: string;
  label: string;
  probability: number;
  likelier: string;
  likelier_probability: number;
  doubt: number;
  suspect: boolean;
};

export type TrainOutcome = {
  /** The slim bundle. */
  bundle: Uint8Array;
  metrics: Metrics;
  heldOut: HeldOutRow[];
  /** One for each row whose label could be checked, in the order of the rows. */
  labelChecks: LabelCheck[];
};
