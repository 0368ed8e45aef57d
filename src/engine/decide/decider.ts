import type { Bundle } from '../bundle/bundle.ts';
import { type GoldenOutput, toGoldenOutput } from '../bundle/manifest.ts';
import { type ClassifierModel, compileScorer } from '../classifiers/model.ts';
import type {
  ConfidenceThresholds,
  Decision,
  DecisionTrace,
  EscalationPolicy,
  JsonObject,
  RuleTrace,
  Stage,
} from '../domain.ts';
import { type ErrorDetail, WorkbenchError } from '../errors.ts';
import { compileFeatures } from '../features/compile.ts';
import { compileFamiliarity } from '../features/familiarity.ts';
import { readClassifier } from '../onnx/classifier.ts';
import type { MonotonicClock, TextEncoder } from '../ports.ts';
import { type CompiledRules, loadRules, type RuleFailure, type RulesOutcome } from '../rules/compile.ts';
import { checkInputSchema, compileInputSchema, type InputValidator } from '../schema/input-schema.ts';
import { encoderInput } from '../text/encoder-input.ts';
import { compileNgrams, type NgramRow } from '../text/ngrams.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { describeUnfamiliar, explanations } from './explain.ts';
import { headProbabilities, reasonCodesFor } from './reason-codes.ts';
import { type ClassifierInput, traceFeatures, truncatedFields } from './trace.ts';

/** What may differ from the bundle: the decision type's present settings. */
export type Settings = {
  rules: CompiledRules;
  thresholds: ConfidenceThresholds;
  escalationPolicy: EscalationPolicy;
  fallbackOption: string | null;
};

export type DeciderPorts = { encoder: TextEncoder | null; tokenizer: Tokenizer | null; now: MonotonicClock };

/**
 * A decision with its trace where one was asked for, or why the input does not fit the input schema. `liveModel` is the
 * escalation policy where the thresholds left the decision open and a live model may be asked: `decision` stands if
 * none answers. `ruleErrors` are the rules that erred before one matched.
 */
export type Decided =
  | {
      ok: true;
      decision: Decision;
      trace: DecisionTrace | null;
      liveModel: EscalationPolicy | null;
      ruleErrors: readonly RuleFailure[];
    }
  | { ok: false; problems: ErrorDetail[] };

export type Decider = {
  policyVersion: string;
  usesText: boolean;
  /**
   * Decides one input: schema, rules, features, text, classifier, thresholds. The result is there at once unless the
   * text encoder must be asked. Rejects with WorkbenchError 'unavailable' when it cannot be and no fallback is set.
   */
  decide(input: JsonObject, options?: { trace?: boolean }): Decided | Promise<Decided>;
};

const noIds: readonly number[] = [];
const noNgrams: NgramRow = { indices: [], values: [] };

/** The classifier's verdict is turned into one of these by the thresholds. */
type Outcome = {
  decision: string;
  stage: Stage;
  escalate: boolean;
  fallbackUsed: boolean;
  unfamiliar: boolean;
  /** Whether the thresholds settled it; otherwise a live model may be asked. */
  settled: boolean;
  explanation: string;
};

/** `strange` says what is unlike the examples, null where nothing is; a strange input counts as below `escalation`. */
function applyThresholds(
  option: string,
  confidence: number,
  unfamiliarReason: string | null,
  settings: Settings,
): Outcome {
  const { thresholds, escalationPolicy, fallbackOption } = settings;
  const keepPrediction = (escalate: boolean, sentence: typeof explanations.automatic, settled = true): Outcome => ({
    decision: option,
    stage: 'classifier',
    escalate,
    fallbackUsed: false,
    unfamiliar: unfamiliarReason !== null,
    settled,
    explanation: sentence(option, confidence, thresholds),
  });
  if (unfamiliarReason === null) {
    if (confidence >= thresholds.auto_decide) return keepPrediction(false, explanations.automatic);
    if (confidence >= thresholds.escalation) {
      if (escalationPolicy.between === 'accept') return keepPrediction(false, explanations.accepted);
      if (escalationPolicy.between === 'flag') return keepPrediction(true, explanations.flagged);
    }
  }
  // between the thresholds `fallback` means the fallback, whether or not a live model may be asked below them
  const settled =
    unfamiliarReason === null && confidence >= thresholds.escalation && escalationPolicy.between === 'fallback';
  if (fallbackOption === null) {
    return keepPrediction(
      true,
      unfamiliarReason === null ? explanations.uncertain : () => explanations.unfamiliar(option, unfamiliarReason),
      settled,
    );
  }
  return {
    decision: fallbackOption,
    stage: 'fallback',
    escalate: true,
    fallbackUsed: true,
    unfamiliar: unfamiliarReason !== null,
    settled,
    explanation:
      unfamiliarReason === null
        ? explanations.fallback(option, fallbackOption, confidence, thresholds)
        : explanations.unfamiliarFallback(option, fallbackOption, unfamiliarReason),
  };
}

/** `class_probabilities` as own properties, whatever the options are called. */
function byOption(options: readonly string[], probabilities: ArrayLike<number>): Record<string, number> {
  const entries: Record<string, number> = {};
  for (let index = 0; index < options.length; index++) {
    const option = options[index] as string;
    const value = probabilities[index] ?? 0;
    if (option === '__proto__') Object.defineProperty(entries, option, { value, enumerable: true });
    else entries[option] = value;
  }
  return Object.freeze(entries);
}

function freezeArray(values: readonly string[]): string[] {
  const list = [...values];
  Object.freeze(list);
  return list;
}

function checkParts(bundle: Bundle, ports: DeciderPorts, model: ClassifierModel): void {
  const { manifest, plan } = bundle;
  const dense = plan.tabular_size + (plan.text?.encoder?.dimensions ?? 0);
  const ngrams = plan.text?.ngrams?.idf.length ?? 0;
  if (
    model.D !== dense ||
    model.V !== ngrams ||
    model.K !== manifest.options.length ||
    model.kind !== manifest.classifier.kind
  ) {
    throw new WorkbenchError(
      'validation_error',
      `Bundle entry classifier.onnx: does not fit features.json and the manifest's options. Export the bundle again, or train the type again.`,
    );
  }
  if (plan.text === null) return;
  if (ports.tokenizer === null) {
    throw new WorkbenchError('unavailable', 'The policy reads text, but the tokenizer is not available.');
  }
  if (plan.text.encoder === null) return;
  if (ports.encoder === null) {
    throw new WorkbenchError('unavailable', 'The policy reads text, but the text encoder is not available.');
  }
  if (
    ports.encoder.sha256 !== manifest.text?.encoder_sha256 ||
    ports.encoder.dimensions !== plan.text.encoder.dimensions
  ) {
    throw new WorkbenchError(
      'validation_error',
      'The policy was trained with another text encoder than the one installed. Train the type again.',
    );
  }
}

function checkHeads(bundle: Bundle, heads: ClassifierModel, model: ClassifierModel): void {
  const fits = heads.kind === 'logistic' && heads.D === model.D && heads.V === model.V;
  if (fits && heads.K === bundle.reasons.heads.length + 1) return;
  throw new WorkbenchError(
    'validation_error',
    'Bundle entry reasons.onnx: does not fit features.json and reasons.json. Export the bundle again, or train the type again.',
  );
}

function inputValidator(schema: JsonObject | null): InputValidator | null {
  if (schema === null) return null;
  const problems = checkInputSchema(schema);
  if (problems.length === 0) return compileInputSchema(schema);
  const message = `Bundle entry input_schema.json: ${problems[0]?.msg ?? 'is not valid'} Export the bundle again.`;
  throw new WorkbenchError('validation_error', message, problems);
}

type Timer = { mark(stage: string): void; marks: Record<string, number> };

function startTimer(now: MonotonicClock): Timer {
  const marks: Record<string, number> = {};
  let last = now();
  return {
    marks,
    mark(stage) {
      const at = now();
      marks[stage] = at - last;
      last = at;
    },
  };
}

function traceWithoutClassifier(
  rules: RuleTrace[],
  thresholds: ConfidenceThresholds | null,
  timer: Timer,
): DecisionTrace {
  return { rules, features: [], thresholds, stage_ms: timer.marks, truncated: [], reasons: [], familiarity: [] };
}

/**
 * Compiles a bundle into a decider; everything that can be prepared once is prepared here. `settings` replaces the
 * bundle's own rules, thresholds, escalation policy and fallback. Throws WorkbenchError 'validation_error' where the
 * bundle's parts do not fit each other or the installed encoder, 'unavailable' where a text part is missing.
 */
export function compileDecider(
  bundle: Bundle,
  ports: DeciderPorts,
  settings: Settings = readBundleSettings(bundle),
): Decider {
  const { manifest, plan } = bundle;
  const { options } = manifest;
  const model = readClassifier(bundle.classifier);
  checkParts(bundle, ports, model);
  const score = compileScorer(model);
  const features = compileFeatures(plan);
  const ngramsOf = plan.text?.ngrams ? compileNgrams(plan.text.ngrams) : null;
  const encoderSpec = plan.text?.encoder ?? null;
  const embeddingSize = encoderSpec?.dimensions ?? 0;
  const scratch = new Float32Array(features.tabularSize + embeddingSize);
  const familiarityOf =
    bundle.familiarity === null || settings.escalationPolicy.unfamiliar === 'ignore'
      ? null
      : compileFamiliarity(bundle.familiarity, plan, features.slots);
  const validate = inputValidator(bundle.inputSchema);
  const headModel = bundle.reasonHeads === null ? null : readClassifier(bundle.reasonHeads);
  if (headModel !== null) checkHeads(bundle, headModel, model);
  const scoreHeads = headModel === null ? null : compileScorer(headModel);
  const noCodes = freezeArray([]);
  const noRules = freezeArray([]);
  const uniform = byOption(
    options,
    options.map(() => 1 / options.length),
  );
  const ruleDecisions = settings.rules.file.rules.map(
    (rule): Decision =>
      Object.freeze({
        decision: rule.then,
        confidence: 1,
        reason_codes: rule.reason_code === null ? noCodes : freezeArray([rule.reason_code]),
        escalate: false,
        fallback_used: false,
        rules_triggered: freezeArray([rule.name]),
        policy_version: manifest.policy_version,
        class_probabilities: byOption(
          options,
          options.map((option) => (option === rule.then ? 1 : 0)),
        ),
        explanation: explanations.rule(rule.name),
        stage: 'rules',
        unfamiliar: false,
      }),
  );

  const usualCodes = new Map(
    options.map((option) => [option, freezeArray(reasonCodesFor(bundle.reasons, option, []))]),
  );
  const codesFor = (option: string, heads: DecisionTrace['reasons']): string[] =>
    scoreHeads === null
      ? (usualCodes.get(option) ?? noCodes)
      : freezeArray(reasonCodesFor(bundle.reasons, option, heads));

  const compose = (
    outcome: Outcome,
    confidence: number,
    probabilities: Record<string, number>,
    reasonCodes: string[],
  ): Decision =>
    Object.freeze({
      decision: outcome.decision,
      confidence,
      reason_codes: reasonCodes,
      escalate: outcome.escalate,
      fallback_used: outcome.fallbackUsed,
      rules_triggered: noRules,
      policy_version: manifest.policy_version,
      class_probabilities: probabilities,
      explanation: outcome.explanation,
      stage: outcome.stage,
      unfamiliar: outcome.unfamiliar,
    });

  const classify = (input: JsonObject, given: ClassifierInput, ruled: RulesOutcome, timer: Timer | null): Decided => {
    const scores = score(given.dense, given.ngrams.indices, given.ngrams.values);
    let best = 0;
    for (let k = 1; k < scores.length; k++) if ((scores[k] ?? 0) > (scores[best] ?? 0)) best = k;
    const confidence = Math.min(1, scores[best] ?? 0);
    const familiarity = familiarityOf?.(given.dense, given.ids) ?? [];
    const outcome = applyThresholds(options[best] ?? '', confidence, describeUnfamiliar(familiarity), settings);
    const softmax = scoreHeads?.(given.dense, given.ngrams.indices, given.ngrams.values) ?? null;
    const reasons = headProbabilities(bundle.reasons, softmax);
    const decision = compose(
      outcome,
      confidence,
      byOption(options, scores),
      outcome.stage === 'classifier' ? codesFor(outcome.decision, reasons) : noCodes,
    );
    const liveModel = outcome.settled || !settings.escalationPolicy.enabled ? null : settings.escalationPolicy;
    timer?.mark('classifier');
    const ruleErrors = ruled.errors;
    if (timer === null) return { ok: true, decision, trace: null, liveModel, ruleErrors };
    const trace: DecisionTrace = {
      rules: ruled.trace,
      features: traceFeatures(plan, features, model, input, given, best),
      thresholds: settings.thresholds,
      stage_ms: timer.marks,
      truncated: ports.tokenizer === null ? [] : truncatedFields(plan, ports.tokenizer, given),
      reasons,
      familiarity,
    };
    return { ok: true, decision, trace, liveModel, ruleErrors };
  };

  const withoutEncoder = (error: unknown, ruled: RulesOutcome, timer: Timer | null): Decided => {
    const fallback = settings.fallbackOption;
    if (!(error instanceof WorkbenchError) || error.code !== 'unavailable' || fallback === null) throw error;
    const explanation = explanations.encoderDown(fallback);
    const outcome: Outcome = {
      decision: fallback,
      stage: 'fallback',
      escalate: true,
      fallbackUsed: true,
      unfamiliar: false,
      settled: true,
      explanation,
    };
    timer?.mark('text');
    const trace = timer === null ? null : traceWithoutClassifier(ruled.trace, settings.thresholds, timer);
    const decision = compose(outcome, 0, uniform, noCodes);
    return { ok: true, decision, trace, liveModel: null, ruleErrors: ruled.errors };
  };

  return {
    policyVersion: manifest.policy_version,
    usesText: ngramsOf !== null || encoderSpec !== null,
    decide(input, asked) {
      const timer = asked?.trace === true ? startTimer(ports.now) : null;
      if (validate !== null) {
        const problems = validate(input);
        if (problems.length > 0) return { ok: false, problems };
        timer?.mark('schema');
      }
      const ruled = settings.rules.evaluate(input, timer !== null);
      timer?.mark('rules');
      const ruleDecision = ruled.matched === null ? undefined : ruleDecisions[ruled.matchedIndex];
      if (ruleDecision !== undefined) {
        const trace = timer === null ? null : traceWithoutClassifier(ruled.trace, null, timer);
        return { ok: true, decision: ruleDecision, trace, liveModel: null, ruleErrors: ruled.errors };
      }
      // while the encoder works on one input the next may come; without one, all can use the same numbers
      const dense = features.tabular(input, embeddingSize === 0 ? scratch : new Float32Array(scratch.length));
      timer?.mark('features');
      if (plan.text === null || ports.tokenizer === null) {
        return classify(input, { dense, ngrams: noNgrams, text: null, ids: noIds }, ruled, timer);
      }
      const text = features.textOf(input);
      const ids = ports.tokenizer.encode(text.text);
      const ngrams = ngramsOf === null ? noNgrams : ngramsOf(ids);
      if (encoderSpec === null || ports.encoder === null) {
        timer?.mark('text');
        return classify(input, { dense, ngrams, text, ids }, ruled, timer);
      }
      return ports.encoder.embed(encoderInput(ids, encoderSpec.max_tokens).ids).then(
        (embedding) => {
          for (let d = 0; d < encoderSpec.dimensions; d++) {
            dense[features.tabularSize + d] = (embedding[d] ?? 0) * encoderSpec.scale;
          }
          timer?.mark('text');
          return classify(input, { dense, ngrams, text, ids }, ruled, timer);
        },
        (error: unknown) => withoutEncoder(error, ruled, timer),
      );
    },
  };
}

/** The settings that a bundle was packed with. */
export function readBundleSettings(bundle: Bundle): Settings {
  return {
    rules: loadRules(bundle.rules),
    thresholds: bundle.manifest.confidence_thresholds,
    escalationPolicy: bundle.manifest.escalation_policy,
    fallbackOption: bundle.manifest.fallback_option,
  };
}

/** Largest difference between a golden probability and one computed elsewhere. */
const goldenTolerance = 1e-4;

function sameOutput(expected: GoldenOutput, actual: GoldenOutput): boolean {
  const near = (a: number, b: number | undefined) => b !== undefined && Math.abs(a - b) <= goldenTolerance;
  const probabilities = Object.entries(expected.class_probabilities);
  return (
    expected.decision === actual.decision &&
    expected.stage === actual.stage &&
    expected.fallback_used === actual.fallback_used &&
    expected.escalate === actual.escalate &&
    expected.unfamiliar === actual.unfamiliar &&
    near(expected.confidence, actual.confidence) &&
    JSON.stringify(expected.reason_codes) === JSON.stringify(actual.reason_codes) &&
    JSON.stringify(expected.rules_triggered) === JSON.stringify(actual.rules_triggered) &&
    probabilities.length === Object.keys(actual.class_probabilities).length &&
    probabilities.every(
      ([option, value]) =>
        Object.hasOwn(actual.class_probabilities, option) && near(value, actual.class_probabilities[option]),
    )
  );
}

export type GoldenFailure = {
  index: number;
  expected: GoldenOutput;
  actual: GoldenOutput | { problems: ErrorDetail[] };
};

/**
 * Decides every golden input of a bundle anew with a decider that has the bundle's own settings. Probabilities may
 * differ by 1e-4, everything else must be the same.
 */
export async function runGolden(
  bundle: Bundle,
  decider: Decider,
): Promise<{ checked: number; failures: GoldenFailure[] }> {
  const failures: GoldenFailure[] = [];
  for (const [index, { input, output }] of bundle.golden.entries()) {
    const decided = await decider.decide(input);
    const actual = decided.ok ? toGoldenOutput(decided.decision) : { problems: decided.problems };
    if (!('decision' in actual) || !sameOutput(output, actual)) failures.push({ index, expected: output, actual });
  }
  return { checked: bundle.golden.length, failures };
}
