/** Whether a policy may decide: the points for and against it, which every place reads and every release passes. */
import { findStricterWay, type Metrics } from '../../../engine/domain/metrics.ts';
import { nameFields } from '../../../engine/domain/training.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { listWorse } from '../../../engine/measure/rules-effect.ts';
import { holdKinds, type RulesEffect, type Verdict } from '../../../engine/measured.ts';
import { formatCount } from '../../../engine/numeric.ts';
import { isPiiField } from '../../../engine/pii.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import { followsSettings } from '../../runtime/current-settings.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { Work } from '../../store/types/authors.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { refuseAuthor } from '../authors.ts';
import type { HeldOutDecisions } from './held-out-decisions.ts';
import { describeRed, type PinnedCases } from './pinned-cases.ts';
import { describeAttention, readPolicy, readTrainedFrom } from './policies.ts';
import type { PromiseChecks } from './promises.ts';

export type VerdictDeps = Foundation & {
  promiseChecks: PromiseChecks;
  pinnedCases: PinnedCases;
  heldOutDecisions: HeldOutDecisions;
};

type Item = Verdict[number];
type JudgedPolicy = Pick<PolicyRecord, 'trainingConfig' | 'metrics' | 'isQualityGateMet'>;

/** With fewer rows in common their F1 says less than that of all rows. */
const minCommonRows = 30;

/**
 * Judges a policy by its gate, its type's promise and pinned cases, its weak parts, what decides now, the policy it was
 * compared with, its availability and whether it should be trained again; empty before it was made. A blocking item
 * keeps it from being deployed by itself. `type` has the settings that it would decide with; `effect` compares it on
 * unseen examples with what decides now, null where nothing else does.
 */
export function assessPolicy(
  deps: VerdictDeps,
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  effect: RulesEffect | null = measureEffect(deps, type, policy),
): Verdict {
  if (policy.bundleSha256 === null) return [];
  const items: (Item | null)[] = [
    judgeSplit(type, policy.metrics),
    judgeAnswers(deps, type, policy.metrics),
    judgeReport(policy.metrics),
    judgeGate(policy),
    judgePromise(deps, type, policy),
    judgePinned(deps, type, policy),
    judgeWeakParts(policy.metrics, type.piiFields),
    ...judgeGroups(deps, type, policy),
    ...judgeEffect(deps, type, effect),
    judgeComparison(policy.metrics),
    policy.status === 'deployed' ? judgeAvailability(deps, policy) : null,
    ...judgeLearned(deps, type, policy),
  ];
  return items.filter((item) => item !== null);
}

/**
 * The cases that it will be asked about, where examples at random are certainly easier than new customers, wordings or
 * times; or whether the figure holds where rows are held out otherwise; null where no other way was certainly worse.
 */
function judgeSplit({ oneCase }: Pick<DecisionTypeRecord, 'oneCase'>, metrics: Metrics | null): Item | null {
  const { split } = metrics ?? {};
  if (split?.found && split.field !== null && oneCase === null) return askWhose(split.rule, split.field);
  const stricter = findStricterWay(metrics);
  return stricter && { kind: 'split', state: 'warning', sentence: stricter.sentence };
}

/**
 * Whether no figure is known, as labels may be a policy's answers, or a field is known with the answer alone; or
 * whether a field that settles the label is known before it. Who released a policy with that field has answered.
 */
function judgeAnswers({ store }: Foundation, type: DecisionTypeRecord, metrics: Metrics | null): Item | null {
  const cautions = metrics?.cautions ?? [];
  const unknown = cautions.find(({ kind }) => kind === 'own_answers' || kind === 'known_late');
  if (unknown !== undefined) return { kind: 'answers', state: 'blocking', sentence: unknown.sentence };
  const asked = cautions.filter(({ kind }) => kind === 'known_when');
  const deciding = asked.length === 0 ? null : store.deployments.find(type.id);
  const released = deciding && readPolicy(store, deciding.id).metrics?.cautions;
  const open = asked.find(({ field }) => !released?.some((each) => each.kind === 'known_when' && each.field === field));
  if (open === undefined) return null;
  const sentence = `Is the field ${JSON.stringify(open.field)} known before the decision? ${open.sentence} If it is, release the policy with that as the reason.`;
  return { kind: 'answers', state: 'blocking', sentence };
}

function askWhose(rule: string, field: string): Item {
  const names = nameFields(field);
  const [fresh, same] =
    rule === 'date' ? [`times after these, by ${names}`, 'the same times'] : [`new values of ${names}`, 'these values'];
  const sentence = `Will it be asked about ${fresh}, or about more of ${same}? Its figure is that of new ones. The type's setting one_case keeps the answer.`;
  return { kind: 'split', state: 'blocking', sentence };
}

/** The part of its training's report that is not known yet, or was cut off; null once it is complete. */
function judgeReport(metrics: Metrics | null): Item | null {
  if (!metrics?.follow_up || metrics.follow_up.state === 'done') return null;
  const isFigureOpen = metrics.other_ways === null && metrics.test_size > 0;
  const figure = isFigureOpen ? ', and whether its figure holds where examples are held out in other ways' : '';
  return { kind: 'report', state: 'warning', sentence: `Not known yet: which labels are suspect${figure}.` };
}

/** The sentence of the first item that keeps a policy from being deployed by itself; null where none does. */
export function findBlocking(verdict: Verdict): string | null {
  return verdict.find(({ state }) => state === 'blocking')?.sentence ?? null;
}

export type Hold = { kind: (typeof holdKinds)[number]; sentence: string };

/** Lists what keeps a policy from deciding until a person gives a reason. */
export const listHolds = (verdict: Verdict): Hold[] =>
  verdict.flatMap(({ kind, state, sentence }) => {
    const known = holdKinds.find((each) => each === kind);
    return known !== undefined && state === 'blocking' ? [{ kind: known, sentence }] : [];
  });

/** The kinds that the history of a release names where they are not passed. */
const notedKinds: readonly Item['kind'][] = [...holdKinds, 'report'];

/**
 * Lets a release pass its verdict: throws `conflict` where something holds it and nobody gives a reason, or where the
 * caller is an author of the `work` that is released and the type asks for four eyes; null: nobody's work. Returns what
 * speaks against it, or is not known yet, for the history.
 */
export function passVerdict(
  deps: Foundation,
  caller: Caller,
  type: DecisionTypeRecord,
  { verdict, work, reason }: { verdict: Verdict; work: Work | null; reason: string | null },
): string[] {
  if (work !== null) refuseAuthor(deps, caller, type, work);
  const [hold] = listHolds(verdict);
  if (hold === undefined || reason !== null)
    return verdict.flatMap(({ kind, state, sentence }) =>
      state !== 'passed' && notedKinds.includes(kind) ? [sentence] : [],
    );
  throw new WorkbenchError(
    'conflict',
    `${hold.sentence} To release it anyway, give a reason: it stays in the history.`,
  );
}

/** Compares a policy on unseen examples with what decides now; null where nothing does, or itself. */
function measureEffect(deps: VerdictDeps, type: DecisionTypeRecord, policy: PolicyRecord): RulesEffect | null {
  const deciding = deps.store.deployments.find(type.id);
  const now = deps.store.decisionTypes.find(type.id);
  if (deciding === null || now === null || policy.bundleSha256 === null) return null;
  const isSame = type.activeVersion.id === now.activeVersion.id && type.fallbackOption === now.fallbackOption;
  if (deciding.id === policy.id && isSame) return null;
  return deps.heldOutDecisions.measureChange([now, readPolicy(deps.store, deciding.id)], [type, policy]);
}

/** Being worse holds a type that is looked after; else any policy decides that is deployed, as the interface says. */
function judgeEffect(deps: VerdictDeps, type: DecisionTypeRecord, effect: RulesEffect | null): Item[] {
  if (effect === null) return [];
  if (effect.rows === 0) {
    const sentence =
      'Whether it decides better or worse than what decides now is not known: they share no unseen example.';
    return [{ kind: 'comparison', state: 'warning', sentence }];
  }
  const state = isLookedAfter(deps, type) ? 'blocking' : 'warning';
  return listWorse(effect).map((sentence) => ({ kind: 'worse', state, sentence }));
}

/** Whether somebody has said how a type is to decide: by pinned cases, a promise, a draft, or publishing by hand. */
const isLookedAfter = ({ store, pinnedCases }: VerdictDeps, type: DecisionTypeRecord): boolean =>
  type.publishing !== 'at_once' ||
  type.draft !== null ||
  store.promises.findDeclared(type.id) !== null ||
  pinnedCases.list(type).length > 0;

/**
 * The macro F1 that the training asked for; null where it asked for none. Where a policy was deployed, it is held
 * against the rows that both have held out: rows that came since may be harder, which is no fault of the new policy.
 */
export function judgeGate({ trainingConfig, metrics, isQualityGateMet }: JudgedPolicy): Item | null {
  const { target_f1: target } = trainingConfig;
  if (metrics === null) return null;
  if (target === null) {
    // A gate of an earlier program, which the settings do not have any more.
    return isQualityGateMet === false ? toGate('blocking', 'It missed a gate of its training.') : null;
  }
  const { compared_with_deployed: compared, macro_f1, split, whole } = metrics;
  if (split?.rule === 'drawn' && whole !== null && whole.accuracy.share === null) {
    return toGate(
      'blocking',
      `The ${target} that the training asked for is not known to be reached. ${whole.headline}`,
    );
  }
  const common = compared !== null && compared.rows >= minCommonRows ? compared : null;
  const measured = common?.macro_f1 ?? macro_f1;
  const where = common === null ? '' : ` on the ${common.rows} rows that the deployed policy has held out, too,`;
  const itsF1 = `Its macro F1 of ${measured.toFixed(3)}${where}`;
  return measured < target
    ? toGate('blocking', `${itsF1} is below the ${target} that the training asked for.`)
    : toGate('passed', `${itsF1} reaches the ${target} that the training asked for.`);
}

const toGate = (state: Item['state'], sentence: string): Item => ({ kind: 'gate', state, sentence });

function judgePromise(
  { promiseChecks }: { promiseChecks: PromiseChecks },
  type: DecisionTypeRecord,
  policy: PolicyRecord,
): Item | null {
  const standing = promiseChecks.readStanding(type, policy);
  if (standing === null || standing.state === 'nothing_promised') return null;
  return { kind: 'promise', state: standing.state === 'kept' ? 'passed' : 'blocking', sentence: standing.sentence };
}

const maxNamedCases = 3;

/** Whether the decisions that must hold do; the cases are decided beforehand, see `PinnedCases.decide`. */
function judgePinned({ pinnedCases }: VerdictDeps, type: DecisionTypeRecord, policy: PolicyRecord): Item | null {
  const report = pinnedCases.find(type, policy);
  const cases = pinnedCases.list(type);
  if (cases.length === 0) return null;
  if (report === null) return { kind: 'must', state: 'warning', sentence: 'Its pinned cases are not decided yet.' };
  const red = report.cases.filter(({ isKept }) => !isKept);
  if (red.length === 0) {
    return { kind: 'must', state: 'passed', sentence: `All ${formatCount(cases.length)} pinned cases hold.` };
  }
  const more = red.length > maxNamedCases ? ` And ${formatCount(red.length - maxNamedCases)} more.` : '';
  const named = red.slice(0, maxNamedCases).map((each) => describeRed(each, type.piiFields));
  const sentence = `${named.join(' ')}${more}`;
  return { kind: 'must', state: 'blocking', sentence };
}

function judgeWeakParts(metrics: Metrics | null, piiFields: readonly string[]): Item | null {
  const parts = metrics?.weak_parts?.filter(({ fields }) => !isPersonal(fields, piiFields)) ?? [];
  const [worst] = parts;
  if (worst === undefined) return null;
  const others = parts.length > 1 ? ` ${parts.length - 1} more such parts are in its report.` : '';
  const sentence = `Where ${worst.description}, it decided ${worst.errors} of ${worst.rows} unseen examples alone and wrongly, certainly more often than elsewhere.${others}`;
  return { kind: 'weak_parts', state: 'warning', sentence };
}

/** Judges groups that must not be harmed, by each field; nothing where the type has none. */
function judgeGroups({ heldOutDecisions }: VerdictDeps, type: DecisionTypeRecord, policy: PolicyRecord): Item[] {
  if (type.groups === null || policy.metrics === null) return [];
  return heldOutDecisions.read(type, policy).groups.map(({ state, sentence }) => ({ kind: 'groups', state, sentence }));
}

/** Whether one of the dotted fields is personal. */
export const isPersonal = (fields: readonly string[], piiFields: readonly string[]): boolean =>
  fields.some((field) => isPiiField(field.split('.'), piiFields));

function judgeComparison(metrics: Metrics | null): Item | null {
  if (metrics?.better_than) return { kind: 'comparison', state: 'passed', sentence: metrics.better_than.sentence };
  const compared = metrics?.compared_with_deployed;
  if (!compared) return null;
  const { policy_version, rows, right, right_deployed } = compared;
  const sentence = `Of ${formatCount(rows)} unseen examples that it shares with ${policy_version}, which decided then, its classifier is right on ${formatCount(right)}, that of ${policy_version} on ${formatCount(right_deployed)}.`;
  return { kind: 'comparison', state: right < right_deployed ? 'warning' : 'passed', sentence };
}

function judgeAvailability({ runtime }: Foundation, { id }: Pick<PolicyRecord, 'id'>): Item {
  const reason = runtime.deployed.findUnavailability(id);
  return reason === null
    ? { kind: 'availability', state: 'passed', sentence: 'It is loaded and decides.' }
    : { kind: 'availability', state: 'blocking', sentence: reason };
}

/** Why a policy should be trained again: it knows other options, or learned what other rules left. */
function judgeLearned(deps: Foundation, type: DecisionTypeRecord, policy: PolicyRecord): Item[] {
  const isOutdated = !followsSettings(type, readTrainedFrom(deps, policy));
  const options =
    'The options of the type have changed since it was trained, so it decides by the rules and thresholds of that time. Train the type again.';
  const sentences = [isOutdated ? options : null, describeAttention(deps, type, policy)];
  return sentences.flatMap((sentence) =>
    sentence === null ? [] : [{ kind: 'retraining' as const, state: 'warning' as const, sentence }],
  );
}
