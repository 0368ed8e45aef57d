/**
 * What a policy does as a whole with the rules and thresholds of now, and promises about its automatic decisions: asked
 * for, kept with the policy, checked again after every change.
 */

import { WorkbenchError } from '../../engine/errors.ts';
import { computeUpperBound } from '../../engine/intervals.ts';
import { boundError } from '../../engine/measure/error-bound.ts';
import { formatShare } from '../../engine/measure/format-share.ts';
import { findPromise, toRisk } from '../../engine/measure/promise.ts';
import { type DecidingSettings, type Replay, replayRows } from '../../engine/measure/replay.ts';
import { measureWholeDecision } from '../../engine/measure/whole-decision.ts';
import type { KeptPromise, PromiseFinding, PromiseStatus, PromiseTerms, WholeDecision } from '../../engine/measured.ts';
import type { Caller } from '../auth/caller.ts';
import { toInvalidValue, toValidationError } from '../errors/validation-error.ts';
import { isoTime } from '../process/clock.ts';
import { followsSettings, readPresentSettings, type TrainedFrom } from '../runtime/current-settings.ts';
import { createRecentCache } from '../runtime/recent-cache.ts';
import type { DecisionTypeRecord } from '../store/decision-types.ts';
import type { PolicyRecord } from '../store/policy-records.ts';
import type { Store } from '../store/store.ts';
import { type ChangeDeps, updateDecisionType } from './decision-types.ts';
import { readPolicy } from './policies.ts';

type TrainedDeps = { store: Pick<Store, 'decisionTypes'> };
type MeasureDeps = { store: Pick<Store, 'heldOut' | 'decisionTypes'> };

/** Held-out rows that are replayed at most: usual rules of so many take a quarter of a second. */
const maxReplayedRows = 10_000;
const maxKeptChecks = 200;

/** What a policy was trained from, as far as it decides. */
export function readTrainedFrom({ store }: TrainedDeps, policy: PolicyRecord): TrainedFrom {
  const version = store.decisionTypes.getVersion(policy.decisionTypeId, policy.versionId);
  if (version === null) throw new Error(`The policy ${policy.id} names a version that does not exist.`);
  const { fallbackOption, trainingConfig } = policy;
  return { version, fallbackOption, ownEscalation: trainingConfig.escalation_threshold };
}

type Replayed = { settings: DecidingSettings & { versionNumber: number }; replay: Replay; missing: number };

function replayHeldOut(deps: MeasureDeps, type: DecisionTypeRecord, policy: PolicyRecord): Replayed {
  const settings = readPresentSettings(type, readTrainedFrom(deps, policy));
  const measured = deps.store.heldOut.listMeasured(policy.id, maxReplayedRows);
  const recorded = measured.flatMap(({ input, ...row }) => (input === null ? [] : [{ ...row, input }]));
  const replay = replayRows(recorded, settings);
  return { settings, replay, missing: measured.length - recorded.length + replay.leftOut };
}

/** The whole decision of a policy on its held-out rows, by the rules and thresholds of now. */
export function measurePolicy(deps: MeasureDeps, type: DecisionTypeRecord, policy: PolicyRecord): WholeDecision {
  const { settings, replay, missing } = replayHeldOut(deps, type, policy);
  return measureWholeDecision(replay, settings, missing);
}

/** Finds the threshold that keeps the terms, or says why none does. Throws `validation_error` for an unknown option. */
export function findPolicyPromise(
  deps: MeasureDeps,
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  terms: PromiseTerms & { option?: string | undefined },
): PromiseFinding {
  const { version, ownEscalation } = readTrainedFrom(deps, policy);
  const { options } = version.definition;
  const { option = null } = terms;
  if (option !== null && !options.includes(option)) {
    throw toValidationError([toInvalidValue(['query', 'option'], 'must be one of the options of the policy')]);
  }
  return findPromise(replayHeldOut(deps, type, policy).replay.rows, {
    ...terms,
    option,
    optionCount: options.length,
    lowest: ownEscalation ?? 0,
    // Policies of earlier versions do not say it; unless it was switched off they were fitted again.
    isRefitted: policy.metrics?.split?.refitted ?? policy.trainingConfig.refit,
  });
}

/**
 * Makes a promise: the type gets the threshold that keeps it, and the policy the promise. Throws `conflict` where no
 * threshold keeps it, the policy is not deployed, or the settings of the type do not reach it.
 */
export async function keepPromise(
  deps: ChangeDeps & { store: Pick<Store, 'heldOut' | 'promises' | 'policies'> },
  caller: Caller,
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  terms: PromiseTerms,
): Promise<{ type: DecisionTypeRecord; policy: PolicyRecord }> {
  if (policy.status !== 'deployed') {
    throw new WorkbenchError('conflict', 'Only the deployed policy can be given a promise. Deploy this one first.');
  }
  if (!followsSettings(type, readTrainedFrom(deps, policy))) {
    throw new WorkbenchError(
      'conflict',
      'The options of the type have changed since the policy was trained. Train and deploy a policy first.',
    );
  }
  const found = findPolicyPromise(deps, type, policy, terms);
  const { threshold, share_automatic, error_observed, error_bound } = found;
  if (threshold === null || share_automatic === null || error_observed === null || error_bound === null) {
    throw new WorkbenchError('conflict', found.sentence);
  }
  const { confidence_thresholds: present, escalation_policy } = type.activeVersion.definition;
  const accepts = escalation_policy.between === 'accept';
  const thresholds = {
    auto_decide: threshold,
    // Where what lies between the thresholds is accepted, the lower one is what decides alone.
    escalation: accepts ? threshold : Math.min(present.escalation, threshold),
  };
  if (accepts && policy.trainingConfig.escalation_threshold !== null) {
    throw new WorkbenchError(
      'conflict',
      'Decisions between the thresholds are accepted, and the escalation threshold was fixed by the training. Train without escalation_threshold, or choose another setting for what lies between.',
    );
  }
  const changed = await updateDecisionType(deps, caller, type.id, { confidence_thresholds: thresholds });
  deps.store.promises.set(policy.id, {
    target_error: terms.target_error,
    certainty: terms.certainty,
    threshold,
    share_automatic,
    error_observed,
    error_bound,
    rows: found.rows,
    decision_type_version: changed.activeVersion.versionNumber,
    made_at: isoTime(deps.clock.now()),
  });
  return { type: changed, policy: readPolicy(deps.store, policy.id) };
}

type Check = Pick<PromiseStatus, 'state' | 'now'>;

/** Tells how promises stand; a check costs replayed rows, so it is kept until rules, thresholds or fallback change. */
export class PromiseChecks {
  private readonly deps: { store: Pick<Store, 'heldOut' | 'decisionTypes' | 'promises'> };
  private readonly checks = createRecentCache<string, Check>(maxKeptChecks);

  constructor(deps: { store: Pick<Store, 'heldOut' | 'decisionTypes' | 'promises'> }) {
    this.deps = deps;
  }

  /** How the promise of a policy stands under the settings of its type; null without a promise. */
  read(type: DecisionTypeRecord, policy: PolicyRecord): PromiseStatus | null {
    const { promise } = policy;
    if (promise === null) return null;
    const key = JSON.stringify([policy.id, promise.made_at, type.activeVersion.id, type.fallbackOption]);
    const known = this.checks.get(key);
    const check = known ?? this.check(type, policy, promise);
    if (known === undefined) this.checks.set(key, check);
    const counts = this.deps.store.promises.countCorrections(
      type.seq,
      `v${policy.version}`,
      Date.parse(promise.made_at),
    );
    const { checked, wrong } = counts;
    const live = { checked, wrong, error_bound: computeUpperBound(wrong, checked, 1 - promise.certainty) };
    return { ...promise, ...check, live, sentence: describeStatus(promise, check, live) };
  }

  private check(type: DecisionTypeRecord, policy: PolicyRecord, promise: KeptPromise): Check {
    const { automatic, error_automatic: error, rows } = measurePolicy(this.deps, type, policy);
    const risk = toRisk({ certainty: promise.certainty, option: null, optionCount: 1 });
    const bound = boundError(error.count, error.of, risk);
    return {
      state: toState(promise.target_error, error.share, bound),
      now: { share_automatic: automatic.share, error_observed: error.share, error_bound: bound, rows },
    };
  }
}

function toState(target: number, observed: number | null, bound: number): PromiseStatus['state'] {
  if (bound <= target) return 'kept';
  return observed !== null && observed > target ? 'broken' : 'unknown';
}

function describeStatus(
  { target_error, certainty }: KeptPromise,
  { state, now }: Check,
  live: PromiseStatus['live'],
): string {
  const sure = `with ${formatShare(certainty)} certainty`;
  const promised = `${formatShare(target_error)} was promised`;
  const sentences = {
    kept: `The promise is kept: at most ${formatShare(now.error_bound)} of automatic decisions are wrong, ${sure}; ${promised}.`,
    broken: `The promise is broken: with the rules and thresholds of now ${formatShare(now.error_observed ?? 0)} of the automatic held-out decisions are wrong; ${promised}. Ask for the promise again.`,
    unknown: `Whether the promise is kept cannot be said: ${now.rows} held-out rows bound the error at ${formatShare(now.error_bound)} ${sure}; ${promised}. Ask for the promise again.`,
  };
  const looked = `Of ${live.checked} automatic decisions that were looked at since, ${live.wrong} were wrong.`;
  return live.checked === 0 ? sentences[state] : `${sentences[state]} ${looked}`;
}
