/** The types and errors of the package `decision-edge`, without imports: its declarations are this file's. */

/** A decision, with the names that the workbench's REST API gives its fields. */
export type EdgeDecision = {
  readonly decision: string;
  /** The calibrated probability of the decision; 1 where a rule decided, 0 where no classifier was asked. */
  readonly confidence: number;
  /** The classifier's choice, where the fallback decided otherwise. */
  readonly classifier_choice: string | null;
  /** The calibrated probability of `classifier_choice`. */
  readonly classifier_probability: number | null;
  readonly reason_codes: readonly string[];
  /** Offline there is no connected model to ask. */
  readonly stage: 'rules' | 'classifier' | 'fallback';
  readonly class_probabilities: { readonly [option: string]: number };
  readonly rules_triggered: readonly string[];
  /** The rules that failed on the input, and so did not match, with how. */
  readonly rule_errors: readonly { readonly name: string; readonly error: string }[];
  /** Whether a person should look. */
  readonly escalate: boolean;
  readonly fallback_used: boolean;
  /** Whether the input is unlike the examples: the classifier was not relied on. */
  readonly unfamiliar: boolean;
  /** Why, in a sentence. */
  readonly explanation: string;
  readonly policy_version: string;
  /** Names what decided, as the decisions and releases of the workbench do. */
  readonly digest: string;
  /** The SHA-256 of the bundle's manifest. */
  readonly bundle_digest: string;
  /** A sentence for each part of the input that the policy did not read. */
  readonly unread: readonly string[];
};

/** A field that the policy reads, or that its input schema names. */
export type EdgeField = {
  readonly path: readonly string[];
  readonly kind:
    | 'number'
    | 'boolean'
    | 'category'
    | 'date'
    | 'numbers'
    | 'strings'
    | 'objects'
    | 'text'
    | 'conversation'
    | 'any';
  /** Whether the input schema refuses an input without it. */
  readonly required: boolean;
  /** The share of the examples without it; null where no examples were seen. */
  readonly missing: number | null;
  /** The values that the policy knows. */
  readonly values: readonly string[] | null;
  /** The lowest and highest number, or the first and last date, of the examples. */
  readonly range: readonly [number, number] | readonly [string, string] | null;
};

/** Facts that a bundle states about itself. */
export type BundleInfo = {
  readonly decision_type: string;
  /** The version of the decision type. */
  readonly version: number;
  readonly policy_id: string;
  readonly policy_version: string;
  readonly options: readonly string[];
  readonly reason_codes: readonly string[];
  readonly confidence_thresholds: {
    readonly auto_decide: number;
    readonly escalation: number;
    readonly by_option?: { readonly [option: string]: number } | undefined;
  };
  readonly fallback_option: string | null;
  readonly created_at: string;
  readonly tool_version: string;
  readonly fields: readonly EdgeField[];
  /** How texts of fields are read, as people have written them. */
  readonly readings: readonly { readonly path: readonly string[]; readonly reading: { readonly kind: string } }[];
  readonly digest: string;
  readonly bundle_digest: string;
};

/** An input as JSON has it; `undefined` members are left out, a Date is its ISO 8601 text. */
export type Input = { readonly [field: string]: unknown };

export type DecideOptions = {
  /** Refuses an input that holds what the policy does not read. */
  readonly strict?: boolean;
};

export type DecideManyOptions = DecideOptions & {
  /** Called now and then with how many inputs are decided. */
  readonly onProgress?: (decided: number) => void;
  /** Ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
};

/** How many golden decisions were compared, and a sentence for each that is another one here. */
export type Verification = { readonly compared: number; readonly differences: readonly string[] };

/** Decides by one bundle; keeps no state between calls. */
export type Predictor = {
  readonly info: BundleInfo;
  /** The policy in plain words, as Markdown. */
  readonly modelCard: string;
  /** Decides one input, which stays unchanged. Rejects with InvalidInput. */
  decide(input: Input, options?: DecideOptions): Promise<EdgeDecision>;
  /** Decides many inputs in their order; texts are read together. Rejects with InvalidInput for the first refused one. */
  decideMany(inputs: Iterable<Input>, options?: DecideManyOptions): Promise<EdgeDecision[]>;
  /** As `decideMany`; where an input is refused, its InvalidInput stands in its place. */
  decideEach(inputs: Iterable<Input>, options?: DecideManyOptions): Promise<(EdgeDecision | InvalidInput)[]>;
  /** Decides the bundle's golden inputs again. */
  verify(): Promise<Verification>;
  /** Gives the memory of the text encoder back. */
  close(): Promise<void>;
};

/** ONNX Runtime as `onnxruntime-node` and `onnxruntime-web` are imported: `import * as ort from 'onnxruntime-web'`. */
export type OnnxRuntime = {
  readonly InferenceSession: {
    create(model: Uint8Array, options?: { [name: string]: unknown }): Promise<OnnxSession>;
  };
  readonly Tensor: {
    new (type: 'float32', data: Float32Array, dims: readonly number[]): object;
    new (type: 'int64', data: BigInt64Array, dims: readonly number[]): object;
  };
};

export type OnnxSession = {
  readonly inputNames: readonly string[];
  run(feeds: { [name: string]: object }): Promise<{ readonly [name: string]: object }>;
  release(): Promise<void>;
};

/** The files of the text model, where a slim bundle leaves them out. */
export type TextModelFiles = { readonly tokenizer: Uint8Array; readonly encoder?: Uint8Array };

export type LoadOptions = {
  /** Needed by a slim bundle that reads text. */
  readonly textModel?: TextModelFiles;
  /** Needed by a bundle whose texts are read by a text model; a function is called for such a bundle alone. */
  readonly runtime?: OnnxRuntime | (() => Promise<OnnxRuntime>);
};

/** A bundle that cannot be used: damaged, foreign, of a newer version, or deciding otherwise here. */
export class InvalidBundle extends Error {
  static override readonly name: string = 'InvalidBundle';
  override readonly name: string = 'InvalidBundle';
}

/** A slim bundle without its text model, or one that is read by a text model without ONNX Runtime. */
export class TextModelNeeded extends InvalidBundle {
  static override readonly name: string = 'TextModelNeeded';
  override readonly name = 'TextModelNeeded';
}

/** The path of a place in an input, and the problem there. */
export type InputProblem = { readonly loc: readonly (string | number)[]; readonly msg: string };

/** An input that JSON cannot hold, or that does not fit the input schema. */
export class InvalidInput extends Error {
  /** Minified, a class would lose it. */
  static override readonly name: string = 'InvalidInput';
  override readonly name = 'InvalidInput';
  readonly problems: readonly InputProblem[];
  constructor(message: string, problems: readonly InputProblem[] = []) {
    super(message);
    this.problems = problems;
  }
}
