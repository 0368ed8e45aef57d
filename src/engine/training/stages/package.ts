import { type BundleParts, digestParts, packBundle } from '../../bundle/bundle.ts';
import { listInputFields, seeInputs } from '../../bundle/input-fields.ts';
import { bundleFormatVersion, type Manifest } from '../../bundle/manifest.ts';
import { writeModelCard } from '../../bundle/model-card.ts';
import { compileDecider } from '../../decide/decider.ts';
import { recordGoldenLines } from '../../decide/golden.ts';
import { type Metrics, pendingFollowUp } from '../../domain/metrics.ts';
import type { FeaturePlan } from '../../features/plan.ts';
import { compileJudge } from '../../findings/search-data.ts';
import type { SeenInput } from '../../findings/slice-conditions.ts';
import { findWeakSlices } from '../../findings/slices.ts';
import { toLabel } from '../../findings/taken-out.ts';
import { suggestThresholds } from '../../measure/promise.ts';
import {
  type DecidingSettings,
  isSetAsideLikelier,
  type ReappliedRow,
  type RecordedRow,
  reapplySettings,
  toMeasuredLabel,
  toUnruledRow,
} from '../../measure/reapply.ts';
import { measureWholeDecision, readBasis } from '../../measure/whole-decision.ts';
import { computePercentile } from '../../numeric.ts';
import { exportClassifier } from '../../onnx/classifier.ts';
import type { Adapters, LanguageDetector } from '../../ports.ts';
import { describeHints, isHinted, isLabelled } from '../data/hint-rows.ts';
import { countReasonsByOption, toRowLabel } from '../data/labelled-rows.ts';
import { learnFamiliarity } from '../evaluate/familiarity.ts';
import { buildManifest } from '../package/build-manifest.ts';
import { makeGoldenInputs } from '../package/golden-inputs.ts';
import { verifyExport } from '../package/verify-export.ts';
import type { PackedPolicy, TrainRequest } from '../request.ts';
import { learnReasonHeads } from '../select/reason-heads.ts';
import { listCautions } from './cautions.ts';
import { decideKnown } from './decide-known.ts';
import { measureMinima, reportRareOptions } from './rare-options.ts';
import type {
  Classified,
  Evaluated,
  Generated,
  Planned,
  Prepared,
  Run,
  TextModelCompared,
  TextModelled,
} from './state.ts';

type State = Run &
  Pick<Generated, 'rules' | 'rare' | 'examples' | 'origins'> &
  Prepared &
  Pick<Planned, 'directions'> &
  Pick<TextModelCompared, 'detectLanguage' | 'languages' | 'textModels'> &
  Pick<TextModelled, 'texts' | 'tuned' | 'textTuning'> &
  Pick<Classified, 'notes' | 'minima' | 'judged'> &
  Evaluated & { otherWays: Metrics['other_ways'] };

/** Packs the slim bundle and completes the metrics. Rejects where it is not what was measured. */
export async function packagePolicy(state: State): Promise<PackedPolicy> {
  const { request, ports, progress, rules, trainRows, testRows, evaluation, finalModel } = state;
  progress.report('package', 0, 'Exporting the classifier');
  const classifier = exportClassifier(finalModel.calibrated);
  await verifyExport(classifier, finalModel.calibrated, finalModel.rows, ports.runModel);
  const reasons = await exportReasons(state);
  const inputSchema = request.definition.input_schema;
  const learnedFrom = seeInputs(
    state.finalRows.map((row) => row.input),
    request.piiFields ?? [],
  );
  const fields = listInputFields({ plan: finalModel.plan, rules: rules.file, inputSchema }, learnedFrom);
  const manifest = { ...buildManifest(request, finalModel, ports, state.rare), fields };
  const adapters = state.tuned?.adapters ?? null;
  const plan = toPackedPlan(finalModel.plan, adapters);
  const parts: BundleParts = {
    manifest,
    rules: rules.file,
    plan,
    classifier,
    ...reasons,
    adapters: plan.text?.encoder?.adapters === undefined ? null : adapters,
    familiarity: learnFamiliarity(
      { plan, rows: state.finalRows, built: finalModel.rows, texts: state.texts, tunedFolds: state.tuned?.folds ?? [] },
      state.checks,
      progress.heartbeat,
    ),
    inputSchema,
    golden: [],
    modelCard: '',
  };
  const draft: Manifest = {
    ...manifest,
    format_version: bundleFormatVersion,
    revision: '',
    training: null,
    files: {},
  };
  const decider = compileDecider({ ...parts, manifest: draft }, ports);
  progress.report('package', 0.3, 'Recording golden decisions');
  const goldenRows = [...testRows, ...trainRows].map(({ input, decision }) => ({ input, option: decision }));
  const known = { decisionType: request.decisionType, rules: rules.file, inputSchema };
  const goldenInputs =
    request.config.golden_inputs === 'examples'
      ? goldenRows.map(({ input }) => input)
      : makeGoldenInputs(goldenRows, request.piiFields ?? [], known);
  const golden = await recordGoldenLines(decider, goldenInputs, request.piiFields ?? []);
  progress.report('package', 0.7, 'Deciding known examples');
  const timed = compileDecider(
    { ...parts, manifest: draft },
    { ...ports, encoder: ports.freshEncoder ?? ports.encoder },
  );
  const latenciesMs = await decideKnown(timed, state, plan.text?.encoder != null);
  const metrics = completeMetrics(state, parts, latenciesMs);
  const digest = digestParts(parts, ports.sha256);
  const modelCard = writeModelCard({ ...parts, digest, golden, metrics, promise: null });
  const bundle = packBundle({ ...parts, golden, modelCard }, ports.sha256);
  progress.report('package', 1, 'The policy is ready');
  return { bundle, metrics, heldOut: testRows.length === 0 ? [] : evaluation.heldOut };
}

/** The plan as a bundle has it: without what only a training needs, with the rank of the adapters of its encoder. */
function toPackedPlan({ directions: _, ...plan }: FeaturePlan, adapters: Adapters | null): FeaturePlan {
  if (adapters === null || plan.text === null || plan.text.encoder === null) return plan;
  const encoder = { ...plan.text.encoder, adapters: { rank: adapters.rank } };
  return { ...plan, text: { ...plan.text, encoder } };
}

async function exportReasons(state: State): Promise<Pick<BundleParts, 'reasons' | 'reasonHeads'>> {
  const { request, ports, progress, rows, texts, finalModel, finalRows } = state;
  const { options, reason_codes: codes } = request.definition;
  const { heads, model } = learnReasonHeads({
    plan: finalModel.plan,
    rows: finalRows,
    built: finalModel.rows,
    texts,
    codes,
    seed: request.seed,
    tick: progress.heartbeat,
  });
  const reasonHeads = model === null ? null : exportClassifier(model);
  if (model !== null && reasonHeads !== null) {
    await verifyExport(reasonHeads, model, finalModel.rows, ports.runModel);
  }
  return { reasons: { by_option: countReasonsByOption(rows, options, codes), heads }, reasonHeads };
}

type DecidingParts = Pick<BundleParts, 'manifest' | 'reasons' | 'inputSchema'>;

/** Measures whole decisions and finds their weak parts; none where no row is held out. */
function measureDecisions(
  state: State,
  { manifest, inputSchema }: DecidingParts,
): Pick<
  Metrics,
  'whole' | 'escalation_estimate' | 'suggested_thresholds' | 'weak_parts' | 'rare_options' | 'cautions'
> {
  const { request, rules, measuredRows, testRows, evaluation } = state;
  const recorded = evaluation.heldOut.map(({ expected, predicted, probabilities, unfamiliar }, i) => ({
    input: measuredRows[i]?.input ?? {},
    ...evaluation.groups[i],
    isMasked: measuredRows[i]?.isMasked ?? false,
    unreadable: measuredRows[i]?.unreadable,
    expected,
    predicted,
    confidence: Math.max(...probabilities),
    isSetAside: isSetAsideLikelier(probabilities) || state.rare.few.includes(predicted),
    unfamiliar,
    relabelled: measuredRows[i]?.relabelled ?? null,
  }));
  const deciding = { ...manifest, rules, inputSchema };
  const reapplied = reapplySettings(testRows.length === 0 && state.split.rule === 'drawn' ? [] : recorded, deciding);
  const measured = new Set(evaluation.heldOut.map((row) => toMeasuredLabel(row.input_hash, row.expected)));
  const isDrawn = state.split.rule === 'drawn';
  // A row that is there as it was may be drawn no more, as open rows have come.
  if (isDrawn) for (const row of state.rows.filter(isLabelled)) measured.add(toRowLabel(row));
  for (const answer of state.takenOut) measured.add(toLabel(answer));
  const dropped = request.doubtedLabels?.filter((label) => !measured.has(label)).length;
  const takenOut = state.takenOut.map((answer) => toUnruledRow(answer, manifest));
  const rows = [...reapplied.rows, ...takenOut];
  const cautions = listCautions(state);
  const basis = readBasis({ split: state.split, other_ways: state.otherWays, cautions });
  const measure = (some: readonly ReappliedRow[]) =>
    measureWholeDecision({ rows: [...some, ...takenOut], refused: reapplied.refused }, manifest, {
      missing: reapplied.leftOut,
      ...{ dropped, takenOut, basis },
    });
  const whole = measure(reapplied.rows);
  const isHeldOut = testRows.length > 0 || isDrawn;
  const minima = isHeldOut ? measureMinima(state, reapplied.rows, manifest, measure) : [];
  return {
    cautions,
    whole: isHeldOut ? whole : null,
    escalation_estimate: whole.escalated.share ?? 0,
    suggested_thresholds:
      testRows.length === 0 ? [] : suggestThresholds(rows, request.config.escalation_threshold ?? 0, basis),
    weak_parts: testRows.length === 0 ? null : listWeakParts(request, recorded, deciding, state.detectLanguage),
    rare_options: reportRareOptions(state, testRows.length === 0 ? [] : reapplied.rows, manifest, minima),
  };
}

function completeMetrics(state: State, parts: DecidingParts, latenciesMs: readonly number[]): Metrics {
  const { trainRows, testRows, split, evaluation, finalModel, origins, notes } = state;
  const { heads } = parts.reasons;
  const decisions = measureDecisions(state, parts);
  const codes = heads.map(({ code }) => code).join(', ');
  const headsNote = `These reason codes are chosen by the input, not by the option alone: ${codes}.`;
  return {
    ...evaluation.figures,
    train_size: trainRows.filter(isLabelled).length,
    test_size: testRows.length,
    split,
    left_to_rules: state.leftToRules,
    directions: state.directions,
    languages: state.languages,
    text_models: state.textModels,
    text_tuning: state.textTuning,
    learning_curve: null,
    other_ways: state.otherWays,
    hints: describeHints(trainRows.filter(isHinted).length),
    follow_up: pendingFollowUp,
    feature_count: finalModel.calibrated.D + finalModel.calibrated.V,
    ...decisions,
    better_than: null,
    // Known to the service alone, which writes it.
    compared_with_deployed: null,
    latency_estimate_p50_ms: computePercentile(latenciesMs, 0.5),
    latency_estimate_p95_ms: computePercentile(latenciesMs, 0.95),
    notes: [
      ...(decisions.rare_options === null ? [] : [decisions.rare_options.sentence]),
      ...notes,
      ...(heads.length === 0 ? [] : [headsNote]),
    ],
    ...origins,
  };
}

const minRows = 30;
const maxParts = 5;

/** The parts of the measured rows that are decided alone and wrongly more often than the others, five at most. */
function listWeakParts(
  { piiFields = [] }: Pick<TrainRequest, 'piiFields'>,
  recorded: readonly (RecordedRow & SeenInput)[],
  deciding: DecidingSettings,
  detectLanguage: LanguageDetector | null,
): Metrics['weak_parts'] {
  const judged = recorded.map(compileJudge(deciding, 'whole_decision')).filter((row) => row !== null);
  return findWeakSlices(judged, { minRows, piiFields, detectLanguage })
    .items.slice(0, maxParts)
    .map(({ description, fields, rows, errors }) => ({ description, fields, rows, errors }));
}
