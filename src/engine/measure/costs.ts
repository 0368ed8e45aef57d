/** The cost of decisions on held-out rows, with the current thresholds and with those of least cost. */
import { type CostEstimate, type CostFinding, type Costs, compileCosts, isWeighable } from '../costs.ts';
import { formatCount } from '../numeric.ts';
import { createStream, randomStreams } from '../random.ts';
import type { ThresholdSettings } from '../thresholds.ts';
import { listOwnThresholds } from '../thresholds.ts';
import { decideRow, listUnits, type ReappliedRow } from './reapply.ts';

type CostQuestion = {
  costs: Costs;
  options: readonly string[];
  settings: ThresholdSettings;
  /** Thresholds that are tried: current costs are with these. */
  tried?: ThresholdSettings;
  /** The escalation threshold that the training fixed, or null. */
  ownEscalation: number | null;
  /** Why no thresholds can be suggested, as a sentence; null where they can. */
  refusal: string | null;
  isRefitted: boolean;
};

/** Below it, neither thresholds nor intervals say anything. */
const minRows = 30;
const folds = 10;
const draws = 500;
/** The weight of a confidence in rows: thresholds of few rows follow the noise (test/bench/results/costs.md). */
const confidenceRows = 400;
/** Wrong answers that an option is credited with before its own are counted, at their usual cost. */
const priorMistakes = 5;
/** An option that is predicted of fewer rows gets no threshold of its own. */
const minOptionRows = 20;
/** Thresholds at which the curve of costs is drawn. */
const curveSteps = 50;
/** Thresholds are proposed to 0.0001. */
const precision = 10_000;

/** A row that the thresholds decide: its confidence, and what it costs where its prediction stands. */
type OpenRow = { confidence: number; cost: number };
/** As `OpenRow`, with the two that make up its cost: as counted, and as the confidence has it. */
type OptionRow = { option: string; confidence: number; counted: number; likely: number };
type CostOf = ReturnType<typeof compileCosts>;

/**
 * Finds the threshold from which on predictions that stand cost least, a look being what every other row costs. It lies
 * between two confidences that were seen, and at `lowest` or above it; with equal costs the higher one is taken. The
 * lowest sum of costs over rows in falling confidence is also what isotonic regression of the cost on the confidence
 * and a cut at `look` give (Barlow et al. 1972; the cut is Chow's rule, 1970, with costs as Elkan's, 2001).
 */
export function findCheapestThreshold(rows: readonly OpenRow[], look: number, lowest: number): number {
  const falling = rows.filter(({ confidence }) => confidence >= lowest).sort((a, b) => b.confidence - a.confidence);
  let sum = 0;
  // No threshold lies above 1, so predictions of confidence 1 always stand.
  let best = { threshold: 1, sum: (falling[0]?.confidence ?? 0) < 1 ? 0 : Number.POSITIVE_INFINITY };
  falling.forEach(({ confidence, cost }, at) => {
    sum += cost - look;
    const next = falling[at + 1]?.confidence ?? lowest;
    const isCut = at === falling.length - 1 || next < confidence;
    if (isCut && sum < best.sum) best = { threshold: chooseBetween(next, confidence), sum };
  });
  return best.threshold;
}

/** A short number above `low` and at most `high`, near their middle. */
function chooseBetween(low: number, high: number): number {
  const middle = Math.round(((low + high) / 2) * precision) / precision;
  return middle > low && middle <= high ? middle : high;
}

/** The cost of a row with settings: a look where it is handed on, else the cost of its answer. */
type Weigh = (row: ReappliedRow, settings: ThresholdSettings) => number;

function compileWeighing(costs: Costs, look: number): Weigh {
  const costOf = compileCosts(costs);
  return (row, settings) => {
    const { decision, escalate } = decideRow(row, settings);
    return escalate ? look : costOf(row.expected, decision);
  };
}

/** Costs per 1,000 decisions on held-out rows; null where costs are not known, or there are no rows. */
export function computeCostPer1000(
  rows: readonly ReappliedRow[],
  settings: ThresholdSettings,
  costs: Costs,
): number | null {
  if (!isWeighable(costs) || rows.length === 0) return null;
  const weigh = compileWeighing(costs, costs.look);
  return (1_000 * addUp(rows.map((row) => weigh(row, settings)))) / rows.length;
}

type Settled = readonly [rows: readonly ReappliedRow[], settings: ThresholdSettings];

/** Estimates the saving in 1,000 decisions of the second of two ways to decide rows; null as `computeCostPer1000`. */
export function estimateSaving(now: Settled, then: Settled, costs: Costs): CostEstimate | null {
  if (!isWeighable(costs) || now[0].length === 0) return null;
  const weigh = compileWeighing(costs, costs.look);
  const toSample = ([rows, settings]: Settled) => ({ costs: rows.map((row) => weigh(row, settings)), mistake: 0 });
  return estimateCosts(now[0], toSample(now), toSample(then)).saving;
}

/** Makes what a wrong answer costs on average in place of a row's, by the mistakes of rows and by all that may be. */
function compileMistakes(rows: readonly ReappliedRow[], costOf: CostOf): (row: ReappliedRow) => number {
  const counts = new Map<string, number>();
  const mistakes = new Map<string, { count: number; sum: number }>();
  for (const { expected, prediction } of rows) {
    counts.set(expected, (counts.get(expected) ?? 0) + 1);
    if (prediction.option === expected) continue;
    const own = mistakes.get(prediction.option) ?? { count: 0, sum: 0 };
    own.count += 1;
    own.sum += costOf(expected, prediction.option);
    mistakes.set(prediction.option, own);
  }
  const known = new Map<string, number>();
  const average = (option: string) => {
    let others = 0;
    let usual = 0;
    for (const [expected, count] of counts) {
      if (expected === option) continue;
      others += count;
      usual += count * costOf(expected, option);
    }
    const { count, sum } = mistakes.get(option) ?? { count: 0, sum: 0 };
    return (sum + priorMistakes * (others === 0 ? 0 : usual / others)) / (count + priorMistakes);
  };
  return ({ prediction: { option } }) => {
    const cost = known.get(option) ?? average(option);
    known.set(option, cost);
    return cost;
  };
}

/** Rows that thresholds decide, with what each costs where it stands. */
function listOpenRows(rows: readonly ReappliedRow[], costOf: CostOf): OptionRow[] {
  const ofMistake = compileMistakes(rows, costOf);
  return rows.flatMap((row) => {
    const { ruled, expected, prediction } = row;
    const { option, confidence, unfamiliarReason } = prediction;
    if (ruled !== null || unfamiliarReason !== null) return [];
    const likely = confidence * costOf(option, option) + (1 - confidence) * ofMistake(row);
    return [{ option, confidence, counted: costOf(expected, option), likely }];
  });
}

/** Weighs what was counted with what confidences promise, which count less the more rows there are. */
function blendCosts(rows: readonly OptionRow[], count: number): OpenRow[] {
  const weight = confidenceRows / (confidenceRows + count);
  return rows.map(({ confidence, counted, likely }) => ({
    confidence,
    cost: (1 - weight) * counted + weight * likely,
  }));
}

type Suggest = (rows: readonly ReappliedRow[]) => ThresholdSettings;

/** Makes what finds the thresholds of least cost on rows; thresholds of the type change only what they have to. */
function compileSuggestion({ costs, settings, ownEscalation }: CostQuestion, look: number): Suggest {
  const costOf = compileCosts(costs);
  return (rows) => {
    const open = blendCosts(listOpenRows(rows, costOf), rows.length);
    return decideFrom(findCheapestThreshold(open, look, ownEscalation ?? 0), settings);
  };
}

/** Settings that let answers stand alone from a confidence on, and change nothing else that they need not. */
function decideFrom(auto_decide: number, settings: ThresholdSettings): ThresholdSettings {
  // If answers between the thresholds are accepted, the lower threshold decides alone.
  const accepts = settings.escalation_policy.between === 'accept';
  const escalation = accepts ? auto_decide : Math.min(settings.confidence_thresholds.escalation, auto_decide);
  return { ...settings, confidence_thresholds: { auto_decide, escalation } };
}

function drawCurve(rows: readonly ReappliedRow[], { costs, settings, ownEscalation }: CostQuestion) {
  return Array.from({ length: curveSteps + 1 }, (_, step) => step / curveSteps)
    .filter((auto_decide) => auto_decide >= (ownEscalation ?? 0))
    .map((auto_decide) => ({
      auto_decide,
      per_1000: computeCostPer1000(rows, decideFrom(auto_decide, settings), costs) ?? 0,
    }));
}

/** As `compileSuggestion`, with a threshold for each option that is predicted of enough rows. */
function compileOwnSuggestion(question: CostQuestion, look: number): Suggest {
  const { costs, options, settings, ownEscalation } = question;
  const costOf = compileCosts(costs);
  const suggestOne = compileSuggestion(question, look);
  return (rows) => {
    const one = suggestOne(rows).confidence_thresholds.auto_decide;
    const byOption = Map.groupBy(listOpenRows(rows, costOf), ({ option }) => option);
    const own = options.map((option): [string, number] => {
      const open = byOption.get(option) ?? [];
      if (open.length < minOptionRows) return [option, one];
      return [option, findCheapestThreshold(blendCosts(open, open.length), look, ownEscalation ?? 0)];
    });
    const auto_decide = Math.min(...own.map(([, threshold]) => threshold));
    const higher = own.filter(([, threshold]) => threshold > auto_decide);
    const escalation = Math.min(settings.confidence_thresholds.escalation, auto_decide);
    const by_option = higher.length === 0 ? {} : { by_option: Object.fromEntries(higher) };
    return { ...settings, confidence_thresholds: { auto_decide, escalation, ...by_option } };
  };
}

/** Costs of rows, and what a mistake more would cost among them: nothing where no decision stands alone. */
type Sample = { costs: readonly number[]; mistake: number };

/**
 * Costs per 1,000 with percentiles of draws of units; high ends draw a mistake more, else rows without any say there is
 * none.
 */
function estimateCosts(rows: readonly ReappliedRow[], now: Sample, then: Sample) {
  const random = createStream(randomStreams.costBootstrap);
  const count = now.costs.length;
  const units = listUnits(rows);
  const sumUp = (costs: readonly number[]) =>
    Float64Array.from(units, (unit) => unit.reduce((sum, row) => sum + (costs[row] ?? 0), 0));
  const [nowOf, thenOf] = [sumUp(now.costs), sumUp(then.costs)];
  const drawn = Array.from({ length: draws }, () => {
    let [sumNow, sumThen, more] = [0, 0, 0];
    for (let i = 0; i < units.length; i++) {
      if (random() * (units.length + 1) < 1) more += 1;
      const unit = Math.floor(random() * units.length);
      sumNow += nowOf[unit] ?? 0;
      sumThen += thenOf[unit] ?? 0;
    }
    return { now: sumNow, then: sumThen, saving: sumNow - sumThen, more: (more * count) / units.length };
  });
  const toPer1000 = (sum = 0) => (1_000 * sum) / count;
  const sums = { now: addUp(now.costs), then: addUp(then.costs) };
  /** Estimates by the draws, of which a mistake more adds `less` at the low end and `more` at the high one. */
  const toEstimate = (name: 'now' | 'then' | 'saving', sum: number, less: number, more: number): CostEstimate => {
    const sort = (mistake: number) => Float64Array.from(drawn, (draw) => draw[name] + draw.more * mistake).sort();
    const [low, high] = [sort(less)[Math.floor(0.025 * draws)], sort(more)[Math.ceil(0.975 * draws) - 1]];
    return { per_1000: toPer1000(sum), low: toPer1000(low), high: toPer1000(high) };
  };
  return {
    now: toEstimate('now', sums.now, 0, now.mistake),
    then: toEstimate('then', sums.then, 0, then.mistake),
    saving: toEstimate('saving', sums.now - sums.then, -then.mistake, now.mistake),
  };
}

/**
 * Weighs errors against looks on held-out rows: cost per 1,000 decisions with the current thresholds, with suggested
 * ones, and where a person looks at everything. The suggestion is measured on rows it was not chosen on (10 folds), so
 * that it looks no better than it is. Intervals are percentiles of 500 bootstrap draws (Efron 1979) of the rows, copies
 * together, and one mistake more, the same in every call.
 */
export function measureCosts(
  { rows, refused }: { rows: readonly ReappliedRow[]; refused: number },
  missing: number,
  question: CostQuestion,
): CostFinding {
  const { costs, isRefitted } = question;
  const settings = question.tried ?? question.settings;
  const common = {
    currency: costs.currency,
    rows: rows.length,
    missing,
    refused,
    measured_on: isRefitted ? ('before_refit' as const) : ('the_policy' as const),
  };
  if (!isWeighable(costs) || rows.length < minRows) {
    const sentence = isWeighable(costs)
      ? `${rows.length} held-out rows are too few to weigh costs. It takes ${minRows}.`
      : 'Set what a review costs and what a wrong answer costs; then the two can be weighed.';
    return { ...common, now: null, suggested: null, saving: null, by_hand: null, curve: [], sentence };
  }
  const perLook = 1_000 * costs.look;
  const by_hand = { per_1000: perLook, low: perLook, high: perLook };
  const weigh = compileWeighing(costs, costs.look);
  const present = rows.map((row) => weigh(row, settings));
  const chosen = question.refusal === null ? chooseThresholds(rows, question, weigh, costs.look) : null;
  // Current thresholds that decide as the chosen ones would look better on these rows than they are as well.
  const isKept = chosen?.costsOnOwnRows.every((cost, i) => cost === present[i]) ?? false;
  const known = (isKept ? chosen?.costs : null) ?? present;
  const mistake = addUp(rows.map(compileMistakes(rows, compileCosts(costs)))) / rows.length;
  const sampleOf = (costs: readonly number[], { share_automatic }: { share_automatic: number }) => ({
    costs,
    mistake: share_automatic === 0 ? 0 : mistake,
  });
  const current = describeThresholds(rows, settings);
  const ofThen = chosen === null || isKept ? current : describeThresholds(rows, chosen.settings);
  const estimates = estimateCosts(rows, sampleOf(known, current), sampleOf(chosen?.costs ?? known, ofThen));
  const finding = {
    ...common,
    now: { ...estimates.now, ...current },
    suggested: chosen === null ? null : { ...estimates.then, ...ofThen },
    saving: chosen === null ? null : estimates.saving,
    by_hand,
    curve: drawCurve(rows, question),
  };
  return { ...finding, sentence: describe(finding, isKept, question.refusal) };
}

/** One threshold for all, or own ones where certainly cheaper on unseen rows (test/bench/results/costs.md). */
function chooseThresholds(rows: readonly ReappliedRow[], question: CostQuestion, weigh: Weigh, look: number) {
  const one = tryThresholds(rows, compileSuggestion(question, look), weigh);
  // If answers between the thresholds are accepted, the lower one decides alone, and options have none of their own.
  if (question.settings.escalation_policy.between === 'accept') return one;
  const own = tryThresholds(rows, compileOwnSuggestion(question, look), weigh);
  const { saving } = estimateCosts(rows, { costs: one.costs, mistake: 0 }, { costs: own.costs, mistake: 0 });
  return saving.low > 0 ? own : one;
}

/** Finds thresholds by all rows; `costs` are those of each row under thresholds that were found without its fold. */
function tryThresholds(rows: readonly ReappliedRow[], suggest: Suggest, weigh: Weigh) {
  const without = Array.from({ length: folds }, (_, fold) => suggest(rows.filter((_, i) => i % folds !== fold)));
  const settings = suggest(rows);
  return {
    settings,
    costs: rows.map((row, i) => weigh(row, without[i % folds] ?? settings)),
    costsOnOwnRows: rows.map((row) => weigh(row, settings)),
  };
}

const addUp = (costs: readonly number[]) => costs.reduce((sum, cost) => sum + cost, 0);

function describeThresholds(rows: readonly ReappliedRow[], settings: ThresholdSettings) {
  const automatic = rows.filter((row) => !decideRow(row, settings).escalate).length;
  return { thresholds: settings.confidence_thresholds, share_automatic: automatic / rows.length };
}

/** An amount in the currency of the type: whole from 100 on, else with two decimals at most. */
export function formatAmount(amount: number, currency: string | null): string {
  const written = Math.abs(amount) < 100 ? String(Number(amount.toFixed(2))) : formatCount(Math.round(amount));
  return currency === null ? written : `${written} ${currency}`;
}

type Weighing = Pick<CostFinding, 'currency' | 'now' | 'suggested' | 'saving' | 'by_hand'>;

function describe({ currency, now, suggested, saving, by_hand }: Weighing, isKept: boolean, refusal: string | null) {
  const write = ({ per_1000, low, high }: CostEstimate) => {
    const interval = `${formatAmount(low, null)} to ${formatAmount(high, currency)}`;
    return low === high ? formatAmount(per_1000, currency) : `${formatAmount(per_1000, currency)} (${interval})`;
  };
  const parts = [
    now === null ? [] : [`${write(now)} now`],
    suggested === null || isKept
      ? []
      : [
          `${write(suggested)} if decided alone from ${suggested.thresholds.auto_decide}${listOwnThresholds(suggested.thresholds, (option) => `«${option}»`)}`,
        ],
    by_hand === null ? [] : [`${write(by_hand)} all by hand`],
  ].flat();
  const unsure = saving !== null && saving.low <= 0 ? 'The difference may be chance.' : null;
  const note = refusal ?? (isKept ? 'No other thresholds would cost less, as far as can be seen.' : unsure);
  return [`1,000 decisions cost ${parts.join(', ')}.`, note].filter((text) => text !== null).join(' ');
}
