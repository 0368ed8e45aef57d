/** Decides inputs by a compiled policy: input schema, rules, features, text, classifier, thresholds. */
import type { Bundle } from '../bundle/bundle.ts';
import type { Manifest } from '../bundle/manifest.ts';
import { compileUnread } from '../bundle/unread.ts';
import { compileScorer } from '../classifiers/model.ts';
import type { Decision, DecisionTrace } from '../domain/decision.ts';
import { type ErrorDetail, WorkbenchError } from '../errors.ts';
import { compileFeatures } from '../features/compile.ts';
import { compileFamiliarity } from '../features/familiarity.ts';
import { nameField } from '../features/plan.ts';
import type { JsonObject } from '../json.ts';
import type { MonotonicClock } from '../ports.ts';
import type { PathReading } from '../readings/readings.ts';
import { loadRules, type RulesFile, type RulesOutcome } from '../rules/rules-file.ts';
import { maxLightWork } from '../schema/input-schema.ts';
import { toEncoderInput } from '../text/encoder-input.ts';
import { compileNgrams } from '../text/ngrams.ts';
import type { NgramRow } from '../text/word-ngrams.ts';
import { readThresholdsOf } from '../thresholds.ts';
import { compileInputValidator, type Models, readModels, requireTextParts, type TextPorts } from './check-bundle.ts';
import { composeDecision, composeRuleDecision, freezeArray, toClassProbabilities } from './compose-decision.ts';
import { describeUnfamiliar, explanations } from './explain.ts';
import type { Decider, DecisionMade, DecisionResult } from './golden.ts';
import { readFirst } from './read-first.ts';
import { chooseReasonCodes, toHeadProbabilities } from './reason-codes.ts';
import { applyThresholds, chooseOption, type Prediction, takeFallback } from './thresholds.ts';
import {
  type ClassifierInput,
  listTruncatedFields,
  type StageTimer,
  startStageTimer,
  traceFeatures,
  traceWithoutClassifier,
} from './trace.ts';
import { estimateWithout } from './weigh-text.ts';

type RulesPorts = {
  now: MonotonicClock;
  /**
   * Checks an input that may take longer than others can wait, in a process of its own and as work of its caller;
   * without it, none is.
   */
  checkElsewhere?(order: { schema: JsonObject; input: JsonObject }, callerId?: string): Promise<ErrorDetail[]>;
};
/** The ports of a decider; a policy that reads no text needs the clock alone. */
export type DeciderPorts = TextPorts & RulesPorts;

type RulesPart = ReturnType<typeof compileRulesPart>;
type CompiledPolicy = ReturnType<typeof compilePolicy>;

/** Compiles a bundle into a decider. Throws 'validation_error' where its parts do not fit, or 'unavailable'. */
export function compileDecider(bundle: Bundle, ports: DeciderPorts): Decider {
  const { manifest } = bundle;
  const { options, policy_version: policyVersion, version, readings = [] } = manifest;
  const models = readModels(bundle);
  const findUnread = compileUnread(bundle);
  if (models === null) {
    const fallBack = compileFallback(manifest);
    const ofRules = { ...bundle, options, policyVersion, version, readings: [] };
    return readFirst(readings, { ...compileRulesDecider(ofRules, ports, fallBack), findUnread });
  }
  const policy = compilePolicy(bundle, models, ports);
  return readFirst(readings, {
    version,
    setAside: manifest.set_aside ?? [],
    medians: new Map(
      bundle.plan.fields.flatMap((field) => (field.kind === 'number' ? [[nameField(field), field.median]] : [])),
    ),
    decide(input, options) {
      const timer = options?.trace === true ? startStageTimer(policy.now) : null;
      return afterCheck(policy, input, { timer, callerId: options?.callerId }, () => decide(policy, input, timer));
    },
    embedAhead: (inputs) => embedAhead(policy, inputs),
    estimateWithout: (input, option, stretches) =>
      estimateWithout(policy, input, manifest.options.indexOf(option), stretches),
    findUnread,
    read: (input) => input,
  });
}

/** A policy without its bundle: enough to check inputs against the schema and to decide by rules. */
export type RulesOnlyPolicy = {
  rules: RulesFile;
  inputSchema: JsonObject | null;
  options: readonly string[];
  policyVersion: string;
  /** The version of the decision type that rules, schema and readings are of. */
  version: number;
  readings: readonly PathReading[];
};

/** Compiles input schema and rules alone; where no rule matches, `otherwise` decides or throws. */
export function compileRulesDecider(
  policy: RulesOnlyPolicy,
  ports: RulesPorts,
  otherwise: (rulesOutcome: RulesOutcome, timer: StageTimer | null) => DecisionResult,
): Decider {
  const { now } = ports;
  const part = compileRulesPart(policy, ports);
  return readFirst(policy.readings, {
    version: policy.version,
    setAside: [],
    medians: new Map(),
    decide(input, options) {
      const timer = options?.trace === true ? startStageTimer(now) : null;
      return afterCheck(part, input, { timer, callerId: options?.callerId }, () => {
        const outcome = decideByRules(part, input, timer);
        return 'ok' in outcome ? outcome : otherwise(outcome, timer);
      });
    },
    embedAhead: () => Promise.resolve([]),
    estimateWithout: () => Promise.resolve(null),
    findUnread: () => null,
    read: (input) => input,
  });
}

/** The stage that decides before the classifier is asked. */
function compileRulesPart(policy: Omit<RulesOnlyPolicy, 'version' | 'readings'>, ports: RulesPorts) {
  const { options, policyVersion } = policy;
  const rules = loadRules(policy.rules);
  const validateInput = compileInputValidator(policy);
  const { inputSchema: schema } = policy;
  const { checkElsewhere } = ports;
  return {
    now: ports.now,
    validateInput,
    /** Checks an input as `validateInput` does, in another process; null for one that is little work. */
    validateElsewhere(input: JsonObject, callerId?: string): Promise<ErrorDetail[]> | null {
      if (validateInput === null || schema === null || checkElsewhere === undefined) return null;
      return validateInput.estimateWork(input) > maxLightWork ? checkElsewhere({ schema, input }, callerId) : null;
    },
    rules,
    ruleDecisions: rules.file.rules.map((rule) => composeRuleDecision(rule, options, policyVersion)),
  };
}

function compilePolicy(bundle: Bundle, { classifier, reasonHeads }: Models, ports: DeciderPorts) {
  const { manifest, plan, reasons, familiarity } = bundle;
  const { options, policy_version: policyVersion } = manifest;
  const text = requireTextParts(bundle, ports);
  const ngrams = plan.text?.ngrams ?? null;
  const features = compileFeatures(plan);
  const ignoresUnfamiliar = manifest.escalation_policy.unfamiliar === 'ignore';
  return {
    ...compileRulesPart({ ...bundle, options, policyVersion }, ports),
    manifest,
    plan,
    reasons,
    features,
    text: text === null ? null : { ...text, ngrams: ngrams === null ? null : compileNgrams(ngrams) },
    /** The dense vector of every call; null where calls overlap because they wait for the encoder. */
    sharedDense: text?.encoder ? null : new Float32Array(classifier.D),
    denseWidth: classifier.D,
    checkFamiliarity:
      familiarity === null || ignoresUnfamiliar ? null : compileFamiliarity(familiarity, plan, features.slots),
    classifier,
    score: compileScorer(classifier),
    scoreHeads: reasonHeads === null ? null : compileScorer(reasonHeads),
    setAside: new Set(manifest.set_aside?.map((option) => options.indexOf(option))),
    /** Indices of the options that were learned from few examples. */
    neverAlone: new Set(manifest.never_alone?.map((option) => options.indexOf(option))),
    /** Reason codes of each option where none is chosen by a head. */
    usualCodes: new Map(options.map((option) => [option, freezeArray(chooseReasonCodes(reasons, option, []))])),
  };
}

const noIds: readonly number[] = [];
const noNgrams: NgramRow = { indices: [], values: [] };

/** Decides by `decideFitting` once the input is known to fit the input schema, or says what is wrong with it. */
function afterCheck(
  { validateInput, validateElsewhere }: RulesPart,
  input: JsonObject,
  { timer, callerId }: { timer: StageTimer | null; callerId: string | undefined },
  decideFitting: () => DecisionResult | Promise<DecisionResult>,
): DecisionResult | Promise<DecisionResult> {
  if (validateInput === null) return decideFitting();
  const goOn = (problems: ErrorDetail[]) => {
    if (problems.length > 0) return { ok: false, problems } as const;
    timer?.mark('schema');
    return decideFitting();
  };
  return validateElsewhere(input, callerId)?.then(goOn) ?? goOn(validateInput(input));
}

/** The decision of the first rule that matches an input, or the rules' outcome without a match. */
function decideByRules(policy: RulesPart, input: JsonObject, timer: StageTimer | null): DecisionMade | RulesOutcome {
  const rulesOutcome = policy.rules.evaluate(input, timer !== null);
  timer?.mark('rules');
  if (rulesOutcome.matched !== null) {
    const decision = policy.ruleDecisions[rulesOutcome.matchedIndex] as Decision;
    const trace = timer === null ? null : traceWithoutClassifier(rulesOutcome.trace, null, timer);
    return { ok: true, decision, trace, escalation: null, ruleErrors: rulesOutcome.errors };
  }
  return rulesOutcome;
}

function decide(
  policy: CompiledPolicy,
  input: JsonObject,
  timer: StageTimer | null,
): DecisionResult | Promise<DecisionResult> {
  const rulesOutcome = decideByRules(policy, input, timer);
  if ('ok' in rulesOutcome) return rulesOutcome;
  const dense = policy.features.writeTabular(input, policy.sharedDense ?? new Float32Array(policy.denseWidth));
  timer?.mark('features');
  if (policy.text === null) {
    return classify(
      policy,
      input,
      { dense, ngrams: noNgrams, text: null, ids: noIds, units: noIds },
      rulesOutcome,
      timer,
    );
  }
  const { tokenizer, ngrams: reader, encoder } = policy.text;
  const text = policy.features.joinText(input);
  const ids = tokenizer?.encode(text.text) ?? noIds;
  const parted = reader?.(text.text, ids);
  const ngrams = parted?.weighWithout(0, 0) ?? noNgrams;
  const seen = { dense, ngrams, text, ids, units: parted?.units ?? ids };
  if (encoder === null) {
    timer?.mark('text');
    return classify(policy, input, seen, rulesOutcome, timer);
  }
  const { port, spec, adapters } = encoder;
  return port.embed(toEncoderInput(ids, spec.max_tokens, spec.frame).ids, adapters).then(
    (embedding) => {
      for (let d = 0; d < spec.dimensions; d++) {
        dense[policy.features.tabularSize + d] = (embedding[d] ?? 0) * spec.scale;
      }
      timer?.mark('text');
      return classify(policy, input, seen, rulesOutcome, timer);
    },
    (error: unknown) => decideWithoutEncoder(policy, error, rulesOutcome, timer),
  );
}

async function embedAhead(policy: CompiledPolicy, inputs: readonly JsonObject[]): Promise<readonly JsonObject[]> {
  if (policy.text === null || policy.text.encoder === null) return [];
  const { tokenizer, port, spec, adapters } = policy.text.encoder;
  const { validateInput } = policy;
  const open = inputs.filter((input) => {
    if (validateInput !== null) {
      if (validateInput.estimateWork(input) > maxLightWork || validateInput(input).length > 0) return false;
    }
    return !('ok' in decideByRules(policy, input, null));
  });
  const texts = open.map((input) => tokenizer.encode(policy.features.joinText(input).text));
  await Promise.allSettled(
    texts.map((ids) => port.embed(toEncoderInput(ids, spec.max_tokens, spec.frame).ids, adapters)),
  );
  return open;
}

function classify(
  policy: CompiledPolicy,
  input: JsonObject,
  seen: ClassifierInput,
  rulesOutcome: RulesOutcome,
  timer: StageTimer | null,
): DecisionResult {
  const { manifest, plan, features } = policy;
  const { dense, ngrams, units } = seen;
  const probabilities = policy.score(dense, ngrams.indices, ngrams.values);
  const { best, isSetAside } = chooseOption(probabilities, policy.setAside);
  const option = manifest.options[best] ?? '';
  const familiarity = policy.checkFamiliarity?.(dense, units) ?? [];
  // Rounding can take a probability of 1 a little beyond it.
  const confidence = Math.min(1, probabilities[best] ?? 0);
  const unfamiliarReason = describeUnfamiliar(familiarity);
  const isNeverAlone = policy.neverAlone.has(best);
  const prediction: Prediction = { option, confidence, unfamiliarReason, isSetAside, isNeverAlone };
  const outcome = applyThresholds(prediction, manifest);
  const softmax = policy.scoreHeads?.(dense, ngrams.indices, ngrams.values) ?? null;
  const heads = toHeadProbabilities(policy.reasons, softmax);
  const codes =
    softmax === null ? policy.usualCodes.get(option) : freezeArray(chooseReasonCodes(policy.reasons, option, heads));
  const classProbabilities = toClassProbabilities(manifest.options, probabilities);
  const decision = composeDecision(prediction, classProbabilities, outcome, codes ?? [], manifest.policy_version);
  timer?.mark('classifier');
  const escalation = outcome.isFinal || !manifest.escalation_policy.enabled ? null : manifest.escalation_policy;
  if (timer === null) return { ok: true, decision, trace: null, escalation, ruleErrors: rulesOutcome.errors };
  const trace: DecisionTrace = {
    rules: rulesOutcome.trace,
    features: traceFeatures(plan, features, policy.classifier, input, seen, best),
    thresholds: readThresholdsOf(option, manifest.confidence_thresholds),
    stage_ms: timer.marks,
    truncated: listTruncatedFields(policy.text?.encoder ?? null, seen),
    reasons: heads,
    familiarity,
  };
  return { ok: true, decision, trace, escalation, ruleErrors: rulesOutcome.errors };
}

/** Compiles what a policy of rules alone decides where none matches: the fallback, or what a connected model says. */
function compileFallback(manifest: Manifest): (rulesOutcome: RulesOutcome, timer: StageTimer | null) => DecisionResult {
  const { fallback_option: fallback, escalation_policy: policy } = manifest;
  if (fallback === null) {
    return () => {
      throw new WorkbenchError(
        'unavailable',
        'No rule decides this input, and the decision type has no fallback option any more. Choose one.',
      );
    };
  }
  const decision = composeBareFallback(manifest, fallback, explanations.noRule(fallback));
  const escalation = policy.enabled ? policy : null;
  return ({ trace: rules, errors }, timer) => ({
    ok: true,
    decision,
    trace: timer === null ? null : traceWithoutClassifier(rules, null, timer),
    escalation,
    ruleErrors: errors,
  });
}

/** The fallback where no classifier was asked: certain of nothing, every option as probable as the next. */
function composeBareFallback({ options, policy_version }: Manifest, fallback: string, explanation: string): Decision {
  const evenly = options.map(() => 1 / options.length);
  const outcome = takeFallback(fallback, () => explanation, true);
  return composeDecision(null, toClassProbabilities(options, evenly), outcome, [], policy_version);
}

/** The fallback, where the encoder cannot be asked; without a fallback the error is the answer. */
function decideWithoutEncoder(
  { manifest }: CompiledPolicy,
  error: unknown,
  rulesOutcome: RulesOutcome,
  timer: StageTimer | null,
): DecisionResult {
  const { fallback_option: fallback, confidence_thresholds: thresholds } = manifest;
  if (!(error instanceof WorkbenchError) || error.code !== 'unavailable' || fallback === null) throw error;
  const decision = composeBareFallback(manifest, fallback, explanations.encoderUnavailable(fallback));
  timer?.mark('text');
  const trace = timer === null ? null : traceWithoutClassifier(rulesOutcome.trace, thresholds, timer);
  return { ok: true, decision, trace, escalation: null, ruleErrors: rulesOutcome.errors };
}
