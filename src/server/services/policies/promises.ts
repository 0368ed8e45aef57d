/** Promises about the whole decision with the current settings: asked for, and checked after changes. */

import { toUnknownOption, toValidationError } from '../../../door/errors/validation-error.ts';
import { findStricterWay } from '../../../engine/domain/metrics.ts';
import { boundError } from '../../../engine/measure/error-bound.ts';
import {
  describeSilence,
  findPromise,
  keepsDeclared,
  type PromiseQuestion,
  toRisk,
} from '../../../engine/measure/promise.ts';
import { takeDistinct } from '../../../engine/measure/reapply.ts';
import { readBasis } from '../../../engine/measure/whole-decision.ts';
import {
  type DeclaredPromise,
  type KeptPromise,
  nothingPromised,
  type PromiseFinding,
  type PromiseStanding,
  type PromiseStatus,
  type PromiseTerms,
} from '../../../engine/measured.ts';
import { formatShare } from '../../../engine/numeric.ts';
import type { ThresholdSettings } from '../../../engine/thresholds.ts';
import type { Foundation } from '../../foundation.ts';
import { createRecentCache } from '../../process/recent-cache.ts';
import { followsSettings } from '../../runtime/current-settings.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import type { HeldOutDecisions } from './held-out-decisions.ts';
import { isRefitted, readTrainedFrom } from './policies.ts';

const maxKeptChecks = 200;

/** Whether two promises name the same target error and certainty. */
export const isSamePromise = (a: PromiseTerms, b: PromiseTerms) =>
  a.target_error === b.target_error && a.certainty === b.certainty;

/** Asks for terms of a policy: as declared ones where they were when it was measured, else as one try of many. */
function toQuestion(
  deps: Foundation,
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  terms: PromiseTerms & { option?: string | undefined },
): PromiseQuestion {
  const { version, ownEscalation } = readTrainedFrom(deps, policy);
  const { option = null, target_error, certainty } = terms;
  const declared = deps.store.promises.findDeclared(type.id);
  const isDeclared =
    option === null &&
    declared !== null &&
    isSamePromise(declared, terms) &&
    Date.parse(declared.declared_at) <= (policy.completedAt ?? 0);
  return {
    target_error,
    certainty,
    basis: isDeclared ? 'declared' : 'explored',
    option,
    optionCount: version.definition.options.length,
    lowest: ownEscalation ?? 0,
    isRefitted: isRefitted(policy),
    ...(policy.metrics === null ? {} : readBasis(policy.metrics)),
  };
}

/** Finds the threshold that keeps the terms, or says why none does. Throws `validation_error` for an unknown option. */
export function findPolicyPromise(
  deps: Foundation & { heldOutDecisions: HeldOutDecisions },
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  terms: PromiseTerms & { option?: string | undefined },
): PromiseFinding {
  const { options } = readTrainedFrom(deps, policy).version.definition;
  if (terms.option !== undefined && !options.includes(terms.option)) {
    throw toValidationError([toUnknownOption(['query', 'option'], options)]);
  }
  return findPromise(deps.heldOutDecisions.read(type, policy).measured, toQuestion(deps, type, policy, terms));
}

type Check = Pick<PromiseStatus, 'state' | 'now'> & { hasOwnThresholds: boolean };

/** Says how promises stand; a check reads every held-out row, so it is kept until rules or thresholds change. */
export class PromiseChecks {
  readonly #deps: Foundation & { heldOutDecisions: HeldOutDecisions };
  readonly #checks = createRecentCache<string, Check>(maxKeptChecks);
  readonly #findings = createRecentCache<string, PromiseFinding>(maxKeptChecks);

  constructor(deps: Foundation & { heldOutDecisions: HeldOutDecisions }) {
    this.#deps = deps;
  }

  /** How the promise of a policy stands under the settings of its type; null without a promise. */
  read(type: DecisionTypeRecord, policy: PolicyRecord): PromiseStatus | null {
    const { promise } = policy;
    if (promise === null) return null;
    const key = JSON.stringify([policy.id, promise.made_at, type.activeVersion.id, type.fallbackOption]);
    const known = this.#checks.get(key);
    const check = known ?? this.#check(type, policy, promise);
    if (known === undefined) this.#checks.set(key, check);
    const counts = this.#deps.store.promises.countCorrections(
      type.seq,
      `v${policy.version}`,
      Date.parse(promise.made_at),
    );
    const live = { ...counts, error_bound: null };
    const { state, now } = check;
    return { ...promise, state, now, live, sentence: describeStatus(promise, check, live) };
  }

  /** How the promise of its type stands with a policy; null before it was measured. */
  readStanding(type: DecisionTypeRecord, policy: PolicyRecord): PromiseStanding | null {
    const declared = this.#deps.store.promises.findDeclared(type.id);
    if (policy.bundleSha256 === null) return null;
    if (declared === null) return nothingPromised;
    const stricter = findEasierTest(policy);
    if (stricter !== null) return { state: 'not_kept', sentence: `${describeBroken(declared)} ${stricter}` };
    const status = this.read(type, policy);
    if (status !== null && policy.status === 'deployed' && isSamePromise(status, declared)) {
      return { state: status.state === 'kept' ? 'kept' : 'not_kept', sentence: status.sentence };
    }
    const asked = this.#findings.get(toFindingKey(type, policy, declared)) ?? this.ask(type, policy, declared);
    if (asked.possible && policy.status !== 'deployed') {
      return { state: 'kept', sentence: `Deployed, it keeps the promise. ${asked.sentence}` };
    }
    const reason = asked.possible ? `Ask for the promise again. ${asked.sentence}` : asked.sentence;
    return { state: 'not_kept', sentence: `${describeBroken(declared)} ${reason}` };
  }

  /** Finds the threshold that keeps the declared promise of a type, or says why none can, from the current rows. */
  ask(type: DecisionTypeRecord, policy: PolicyRecord, declared: DeclaredPromise): PromiseAnswer {
    const obstacle = findObstacle(this.#deps, type, policy) ?? findEasierTest(policy);
    if (obstacle !== null) return { possible: false, sentence: obstacle };
    const found = findPolicyPromise(this.#deps, type, policy, declared);
    this.#findings.set(toFindingKey(type, policy, declared), found);
    return found;
  }

  #check(type: DecisionTypeRecord, policy: PolicyRecord, promise: KeptPromise): Check {
    const { measured: rows, settings, whole } = this.#deps.heldOutDecisions.read(type, policy);
    const { automatic, error_automatic: error } = whole;
    const { target_error, basis } = promise;
    const question = { ...toQuestion(this.#deps, type, policy, promise), basis };
    const isKept = basis === 'declared' && keepsDeclared(rows, question, readLeastConfidence(settings));
    // The bounds hold along one order of the rows, which thresholds of single options leave.
    const hasOwnThresholds = settings.confidence_thresholds.by_option !== undefined;
    const isKnown = describeSilence(rows.length, question) === null;
    const distinct = takeDistinct(rows).length / Math.max(1, rows.length);
    const [wrong, decided] = [Math.ceil(error.count * distinct), Math.floor(error.of * distinct)];
    const tested = isKept ? target_error : isKnown ? boundError(wrong, decided, toRisk(question)) : 1;
    const bound = hasOwnThresholds ? 1 : tested;
    return {
      hasOwnThresholds,
      state: toState(target_error, error.share, bound),
      now: { share_automatic: automatic.share, error_observed: error.share, error_bound: bound, rows: rows.length },
    };
  }
}

const toFindingKey = (type: DecisionTypeRecord, { id }: PolicyRecord, declared: DeclaredPromise) =>
  JSON.stringify([id, declared, type.activeVersion.id, type.fallbackOption]);

type PromiseAnswer = PromiseFinding | { possible: false; sentence: string };

/** The confidence from which the classifier decides alone. */
function readLeastConfidence({ confidence_thresholds, escalation_policy }: ThresholdSettings): number {
  const { auto_decide, escalation } = confidence_thresholds;
  return escalation_policy.between === 'accept' ? escalation : auto_decide;
}

/** Says why no threshold of the type can keep a promise with a policy, whatever its rows are; null where one may. */
export function findObstacle(deps: Foundation, type: DecisionTypeRecord, policy: PolicyRecord): string | null {
  if (policy.isRulesOnly) return 'Rules alone decide, so no example was held out to measure them on.';
  const { between } = type.activeVersion.definition.escalation_policy;
  if (!followsSettings(type, readTrainedFrom(deps, policy))) {
    return 'The options of the type have changed since the policy was trained. Train and deploy a policy first.';
  }
  return between === 'accept' && policy.trainingConfig.escalation_threshold !== null
    ? 'Decisions between the thresholds are accepted, and the escalation threshold was fixed by the training. Train without escalation_threshold, or choose another setting for what lies between.'
    : null;
}

/** Says that a policy was measured on easier examples than those of another way to hold out; null where on none. */
export function findEasierTest({ metrics }: Pick<PolicyRecord, 'metrics'>): string | null {
  const stricter = findStricterWay(metrics);
  if (stricter === null) return null;
  const easy = 'Its examples were held out in a way that is too easy.';
  if (metrics?.split?.rule === 'test_rows')
    return `${easy} Take the marks off the test rows and train again: the promise is asked for there.`;
  const { by, field } = stricter.split;
  const way = by === 'random' ? 'at random' : `by the ${by} ${JSON.stringify(field)}`;
  return `${easy} Hold them out ${way} and train again: the promise is asked for there.`;
}

function toState(target: number, observed: number | null, bound: number): PromiseStatus['state'] {
  if (bound <= target) return 'kept';
  return observed !== null && observed > target ? 'broken' : 'unknown';
}

/** Says that a promise is not kept; why follows. */
export const describeBroken = ({ target_error, certainty }: PromiseTerms) =>
  `The promise of at most ${formatShare(target_error)} wrong with ${formatShare(certainty)} certainty is not kept.`;

function describeStatus(
  { target_error, certainty }: KeptPromise,
  { state, now, hasOwnThresholds }: Check,
  live: PromiseStatus['live'],
): string {
  const sure = `with ${formatShare(certainty)} certainty`;
  const promised = `${formatShare(target_error)} was promised`;
  const unsure = hasOwnThresholds
    ? 'options have thresholds of their own, and it is tested over one for all'
    : `${now.rows} held-out rows bound the error at ${formatShare(now.error_bound)} ${sure}`;
  const sentences = {
    kept: `The promise is kept: at most ${formatShare(now.error_bound)} of automatic decisions are wrong, ${sure}; ${promised}.`,
    broken: `The promise is broken: with the current rules and thresholds ${formatShare(now.error_observed ?? 0)} of the automatic held-out decisions are wrong; ${promised}. Ask for the promise again.`,
    unknown: `Whether the promise is kept cannot be said: ${unsure}; ${promised}. Ask for the promise again.`,
  };
  // Looked-at decisions are counted, never divided: they are not a sample.
  const looked = `People looked at ${live.checked} automatic decisions since, the doubtful ones first, and found ${live.wrong} wrong: these are counts, no sample, and say nothing of a rate.`;
  return live.checked === 0 ? sentences[state] : `${sentences[state]} ${looked}`;
}
