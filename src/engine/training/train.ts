/** The story of a training run: generate → prepare → features → text model → classifier → evaluate → package. */
import { type BundleParts, packBundle } from '../bundle/bundle.ts';
import { bundleFormatVersion, type Manifest } from '../bundle/manifest.ts';
import { writeModelCard } from '../bundle/model-card.ts';
import { compileDecider } from '../decide/decider.ts';
import { recordGoldenLines } from '../decide/golden.ts';
import type { Metrics } from '../domain.ts';
import { WorkbenchError } from '../errors.ts';
import { compileFeatures } from '../features/compile.ts';
import type { FeaturePlan } from '../features/plan.ts';
import { exportClassifier } from '../onnx/classifier.ts';
import { type CompiledRules, compileRules } from '../rules/compile.ts';
import { countReasonsByOption, type LabelledRow, prepareRows } from './data/prepare.ts';
import { splitRows } from './data/split.ts';
import { type ReadTexts, readTexts } from './data/texts.ts';
import { type Evaluated, evaluateModel } from './evaluate/evaluate.ts';
import { learnFamiliarity } from './evaluate/familiarity.ts';
import { learningCurve } from './evaluate/learning-curve.ts';
import { percentile } from './evaluate/metrics.ts';
import { probeTexts } from './evaluate/probes.ts';
import { augmentExamples } from './generate/augmentation.ts';
import { measureLatency } from './package/measure-latency.ts';
import { proveExport } from './package/prove-export.ts';
import { createProgressReporter, type ProgressReporter } from './progress.ts';
import type { TrainOutcome, TrainPorts, TrainRequest } from './request.ts';
import { chooseClassifier } from './select/choose-classifier.ts';
import { chooseText, type FittedModel, fitChoice, inferFields, type TextUse } from './select/fit.ts';
import { learnReasonHeads } from './select/reason-heads.ts';

export type { TrainOutcome, TrainPorts, TrainRequest } from './request.ts';

const count = (n: number) => n.toLocaleString('en-US');

/**
 * Trains a policy and packs it. The same request and the same encoder give the same model and the same metrics (latency
 * estimates aside). Rejects with WorkbenchError 'validation_error' (too few examples, rules that do not compile),
 * 'conflict' (cancelled), 'unavailable' (the encoder died).
 */
export async function train(request: TrainRequest, ports: TrainPorts): Promise<TrainOutcome> {
  const progress = createProgressReporter(ports);
  const { definition, config } = request;
  const { options } = definition;

  progress.report('generate', 0, 'Looking for options with too few examples');
  const rules = compileDefinition(request);
  const grown = await augmentExamples(request, ports.teach, progress.heartbeat);
  const added = grown.examples.length - request.examples.length;
  progress.report(
    'generate',
    1,
    added === 0 ? 'No examples were generated' : `${count(added)} examples were generated`,
  );

  progress.report('prepare', 0, 'Reading the examples');
  const { rows, present, notes } = prepareRows(grown.examples, options);
  notes.push(...grown.notes);
  const split = splitRows(rows);
  const trainRows = split.train.flatMap((position) => rows[position] ?? []);
  const testRows = split.test.flatMap((position) => rows[position] ?? []);
  if (testRows.length === 0)
    notes.push('Too few examples to hold any out: the figures are taken on the training examples.');
  const measuredRows = testRows.length === 0 ? trainRows : testRows;
  progress.report('prepare', 1, `${count(trainRows.length)} examples to train on, ${count(testRows.length)} held out`);

  const fields = inferFields(trainRows, definition.input_schema, request.piiFields ?? []);
  if (fields.fields.length === 0 && fields.text === null) {
    notes.push('No field of the inputs can be learned from: every input gets the same probabilities.');
  }
  if ((fields.text?.fields.length ?? 0) > 1) {
    notes.push(`Read together as one text: ${fields.text?.fields.map((path) => path.join('.')).join(', ')}.`);
  }
  for (const { path, reason } of fields.left_out) notes.push(`Field ${path} is left out. ${reason}`);
  progress.report(
    'features',
    1,
    `${count(fields.fields.length)} fields, ${count(fields.text?.fields.length ?? 0)} text fields`,
  );

  const texts = await readAllTexts(fields, rows, ports, progress, notes);
  const { dimensions } = ports.encoder;
  const shared = { present, optionCount: options.length, texts, seed: request.seed };
  progress.report('text_model', 0.7, 'Comparing ways to read the inputs');
  const started = chooseText({
    plan: fields,
    rows: trainRows,
    optionCount: present.length,
    texts,
    dimensions,
    seed: request.seed,
    progress,
    report: (share) => progress.reportThrottled('text_model', 0.7 + 0.3 * share, 'Comparing ways to read the inputs'),
  });

  progress.report('classifier', 0, 'Searching good settings');
  const { choice, comparison } = chooseClassifier({
    started,
    optionCount: present.length,
    rowCount: rows.length,
    config,
    seed: request.seed,
    progress,
    report: (share, message) => progress.reportThrottled('classifier', 0.8 * share, message),
  });
  notes.push(textSentences[fields.text === null ? 'noText' : choice.textUse], ...comparison);
  const reportFit = (stage: 'classifier' | 'evaluate', from: number, to: number, message: string) => {
    progress.report(stage, from, message);
    return (share: number) => progress.reportThrottled(stage, from + (to - from) * share, message);
  };
  const reportMeasured = reportFit('classifier', 0.85, 1, 'Fitting the classifier');
  const measured = fitChoice({ ...shared, choice, rows: trainRows, relearn: false, report: reportMeasured });

  progress.report('evaluate', 0, `Measuring on ${count(measuredRows.length)} examples`);
  const probes = measured.plan.text === null ? [] : probeTexts();
  const readProbes = await readTexts(probes, ports.tokenizer, ports.encoder, progress.heartbeat);
  const learnOn = (model: typeof measured, learned: readonly LabelledRow[]) =>
    learnFamiliarity({ plan: model.plan, rows: learned, built: model.rows, texts });
  const onMeasuredRows = { rows: measuredRows, options, seed: request.seed };
  const evaluated = evaluateModel({
    ...onMeasuredRows,
    model: measured,
    familiarity: learnOn(measured, trainRows),
    texts: new Map([...texts, ...readProbes]),
    probes,
  });
  // of a plan that is learned anew, only the embedding keeps its columns
  const starts = measured.starts.encoder === undefined ? {} : { encoder: measured.starts.encoder };
  const measurePart = (part: readonly LabelledRow[], share: number) => {
    const message = `Measuring with ${100 * share} % of the examples`;
    const report = reportFit('evaluate', 0.4 * share, 0.4 * share + 0.1, message);
    const given = { ...shared, choice, rows: part, relearn: true, starts, report };
    const model = fitChoice({ ...given, precision: 'draft' });
    return evaluateModel({ ...onMeasuredRows, model, familiarity: null, texts, probes: [] }).figures;
  };
  const curve = testRows.length === 0 ? null : learningCurve(trainRows, evaluated.figures, measurePart);
  const message = config.refit ? `Fitting on all ${count(rows.length)} examples` : 'Measured';
  const reportFinal = reportFit('evaluate', 0.5, 1, message);
  const final = config.refit
    ? fitChoice({ ...shared, choice, rows, relearn: true, starts, report: reportFinal })
    : measured;

  progress.report('package', 0, 'Exporting the classifier');
  const classifierFile = exportClassifier(final.calibrated);
  await proveExport(classifierFile, final.calibrated, final.rows, ports.runModel);
  const learnedRows = config.refit ? rows : trainRows;
  const reasons = learnReasonHeads(
    { plan: final.plan, rows: learnedRows, built: final.rows, seed: request.seed, tick: progress.heartbeat },
    definition.reason_codes,
  );
  const reasonHeads = reasons.model === null ? null : exportClassifier(reasons.model);
  if (reasons.model !== null && reasonHeads !== null) {
    await proveExport(reasonHeads, reasons.model, final.rows, ports.runModel);
    notes.push(`Chosen by the input, not by the option alone: ${reasons.heads.map(({ code }) => code).join(', ')}.`);
  }
  const manifest = manifestOf(request, final, ports);
  const draft: BundleParts = {
    manifest,
    rules: rules.file,
    plan: final.plan,
    classifier: classifierFile,
    reasons: { by_option: countReasonsByOption(rows, options, definition.reason_codes), heads: reasons.heads },
    reasonHeads,
    familiarity: learnOn(final, learnedRows),
    inputSchema: definition.input_schema,
    golden: [],
    modelCard: '',
  };
  const decider = compileDecider({ ...draft, manifest: { ...manifest, files: {} } }, ports);
  const thresholds = manifest.confidence_thresholds;
  progress.report('package', 0.3, 'Recording golden decisions');
  const goldenInputs = [...testRows, ...trainRows].map((row) => row.input);
  const golden = await recordGoldenLines(decider, goldenInputs, request.piiFields ?? [], thresholds);
  progress.report('package', 0.7, 'Measuring the time of a decision');
  const times = await measureLatency(
    decider,
    measuredRows.map((row) => row.input),
    ports.now,
  );
  const metrics: Metrics = {
    ...evaluated.figures,
    train_size: trainRows.length,
    test_size: testRows.length,
    learning_curve: curve,
    feature_count: final.calibrated.D + final.calibrated.V,
    escalation_estimate: escalationShare(evaluated, manifest),
    latency_estimate_p50_ms: percentile(times, 0.5),
    latency_estimate_p95_ms: percentile(times, 0.95),
    notes,
    ...grown.origins,
  };
  const modelCard = writeModelCard({ manifest, plan: final.plan, rules: rules.file, metrics });
  const bundle = packBundle({ ...draft, golden, modelCard }, ports.sha256);
  progress.report('package', 1, 'The policy is ready');
  return { bundle, metrics, heldOut: testRows.length === 0 ? [] : evaluated.heldOut };
}

const textSentences: Record<TextUse | 'noText', string> = {
  noText: 'The inputs have no text to read.',
  none: 'The text is not used: it did not help beside the other fields.',
  ngrams: 'Text is read by its word pieces; the sentence encoder is not needed to decide.',
  encoder: 'Text is read by the sentence encoder.',
  both: 'Text is read by its word pieces and by the sentence encoder.',
};

function compileDefinition(request: TrainRequest): CompiledRules {
  const compiled = compileRules(request.definition.hard_rules, request.definition);
  if (compiled.ok) return compiled.value;
  const first = compiled.problems[0];
  throw new WorkbenchError(
    'validation_error',
    `Rule "${first?.name ?? ''}" cannot be used: ${first?.message ?? 'it does not compile.'}`,
    compiled.problems,
  );
}

async function readAllTexts(
  plan: FeaturePlan,
  rows: readonly LabelledRow[],
  ports: TrainPorts,
  progress: ProgressReporter,
  notes: string[],
): Promise<ReadTexts> {
  if (plan.text === null) return new Map();
  const features = compileFeatures(plan);
  const all = rows.map((row) => features.joinText(row.input).text);
  const texts = await readTexts(all, ports.tokenizer, ports.encoder, (done, total) => {
    if (done % 25 === 0 || done === total) {
      progress.report('text_model', (0.7 * done) / total, `Encoding texts ${count(done)} of ${count(total)}`);
    }
  });
  const cut = [...texts.values()].filter((text) => text.truncated).length;
  if (cut > 0)
    notes.push(
      `${count(cut)} of ${count(texts.size)} texts are longer than the sentence encoder reads; it sees their beginning.`,
    );
  return texts;
}

function manifestOf(request: TrainRequest, model: FittedModel, ports: TrainPorts): Omit<Manifest, 'files'> {
  const { plan } = model;
  const { definition, config } = request;
  const escalation = config.escalation_threshold ?? definition.confidence_thresholds.escalation;
  const auto_decide = Math.max(definition.confidence_thresholds.auto_decide, escalation);
  return {
    format_version: bundleFormatVersion,
    tool_version: request.toolVersion,
    decision_type: request.decisionType,
    version: request.versionNumber,
    policy_id: request.policyId,
    policy_version: `v${request.policyVersion}`,
    options: definition.options,
    reason_codes: definition.reason_codes,
    confidence_thresholds: { auto_decide, escalation },
    escalation_policy: definition.escalation_policy,
    fallback_option: request.fallbackOption,
    created_at: request.createdAt,
    classifier: { kind: model.calibrated.kind },
    text:
      plan.text === null
        ? null
        : {
            encoder_sha256: plan.text.encoder === null ? null : ports.encoder.sha256,
            tokenizer_sha256: ports.tokenizerSha256,
            slim: true,
          },
  };
}

/** The share of decisions that would not be accepted as they are: of low confidence, or for an unfamiliar input. */
function escalationShare(
  { confidences, unfamiliar }: Pick<Evaluated, 'confidences' | 'unfamiliar'>,
  manifest: Omit<Manifest, 'files'>,
): number {
  const { confidence_thresholds: thresholds, escalation_policy } = manifest;
  const accepted = escalation_policy.between === 'accept' ? thresholds.escalation : thresholds.auto_decide;
  const noticed = escalation_policy.unfamiliar === 'escalate';
  const escalated = confidences.filter((confidence, i) => confidence < accepted || (noticed && unfamiliar[i] === true));
  return escalated.length / Math.max(1, confidences.length);
}
