/** The promise of a type: declared before the look, and asked of every policy that is trained or deployed. */
import { isDeepStrictEqual } from 'node:util';
import { WorkbenchError } from '../../../engine/errors.ts';
import {
  nothingPromised,
  type PromiseFinding,
  type PromiseStanding,
  type PromiseTerms,
  type TypePromise,
} from '../../../engine/measured.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime } from '../../process/clock.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { Author } from '../../store/types/authors.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { doByTwo } from '../authors.ts';
import { type ChangeNote, noteChange } from '../releases.ts';
import { toNextVersion } from '../types/decision-types.ts';
import type { HeldOutDecisions } from './held-out-decisions.ts';
import { readPolicy } from './policies.ts';
import {
  describeBroken,
  findEasierTest,
  findObstacle,
  findPolicyPromise,
  isSamePromise,
  type PromiseChecks,
} from './promises.ts';

export type KeepDeps = Foundation & { heldOutDecisions: HeldOutDecisions; promiseChecks: PromiseChecks };

/** Declares the promise of a type and asks the deployed policy for it; of a type with four eyes two have to. */
export function declarePromise(
  deps: KeepDeps,
  caller: Caller,
  type: DecisionTypeRecord,
  terms: PromiseTerms,
): Promise<TypePromise> {
  const write = (first: Author | null) =>
    deps.store.transaction(() => {
      declare(deps, type, terms);
      const deployed = deps.store.deployments.find(type.id);
      if (deployed !== null) keepDeclaredPromise(deps, type, readPolicy(deps.store, deployed.id));
      noteChange(deps, caller, type.id, toPromiseNote(first));
      return readTypePromise(deps, findAgain(deps, type));
    });
  return doByTwo(deps, caller, type, { promise: terms }, write);
}

const toPromiseNote = (first: Author | null): ChangeNote => ({
  reason: 'The thresholds that keep the promise.',
  ...(first !== null && { authors: [first], switched: [`Another promise, asked for by ${first.name ?? 'somebody'}.`] }),
});

function declare({ store, clock }: KeepDeps, { id }: DecisionTypeRecord, terms: PromiseTerms): void {
  const before = store.promises.findDeclared(id);
  const { target_error, certainty } = terms;
  if (before !== null && isSamePromise(before, terms)) return;
  store.promises.declare(id, { target_error, certainty, declared_at: isoTime(clock.now()) });
}

function findAgain({ store }: KeepDeps, { id, organisationId }: DecisionTypeRecord): DecisionTypeRecord {
  const type = store.decisionTypes.get(id, organisationId);
  if (type === null) throw new Error(`The decision type ${id} is gone.`);
  return type;
}

/** Asks a policy for its type's promise: both get the thresholds that keep it, or neither, in one transaction. */
export function keepDeclaredPromise(deps: KeepDeps, type: DecisionTypeRecord, policy: PolicyRecord): PromiseStanding {
  const { store, promiseChecks } = deps;
  const declared = store.promises.findDeclared(type.id);
  if (declared === null) {
    store.promises.set(policy.id, null);
    return nothingPromised;
  }
  const asked = promiseChecks.ask(type, policy, declared);
  if (asked.possible) {
    keepFound(deps, type, policy, asked);
    return { state: 'kept', sentence: asked.sentence };
  }
  store.promises.set(policy.id, null);
  return { state: 'not_kept', sentence: `${describeBroken(declared)} ${asked.sentence}` };
}

function keepFound(deps: KeepDeps, type: DecisionTypeRecord, policy: PolicyRecord, found: PromiseFinding): void {
  const { threshold, share_automatic, error_observed, error_bound } = found;
  if (threshold === null || share_automatic === null || error_observed === null || error_bound === null) {
    throw new Error('A promise without a threshold was to be kept.');
  }
  const { store, clock } = deps;
  const now = clock.now();
  const { definition } = type.activeVersion;
  const { confidence_thresholds: present, escalation_policy } = definition;
  // If answers between the thresholds are accepted, the lower threshold decides alone.
  const escalation = escalation_policy.between === 'accept' ? threshold : Math.min(present.escalation, threshold);
  // A promise is tested over one threshold, so it takes those of single options away.
  const confidence_thresholds = { auto_decide: threshold, escalation };
  const isNewVersion = !isDeepStrictEqual(present, confidence_thresholds);
  const activeVersion = isNewVersion
    ? toNextVersion(deps, type, { ...definition, confidence_thresholds }, now)
    : type.activeVersion;
  if (isNewVersion) store.decisionTypes.update({ ...type, activeVersion, updatedAt: now }, true);
  store.promises.set(policy.id, {
    target_error: found.target_error,
    certainty: found.certainty,
    basis: found.basis,
    threshold,
    share_automatic,
    error_observed,
    error_bound,
    rows: found.rows,
    decision_type_version: activeVersion.versionNumber,
    made_at: isoTime(now),
  });
}

/** Makes and declares a promise with the deployed policy; throws `conflict` where it cannot be kept, or two have to. */
export async function keepPromise(
  deps: KeepDeps,
  caller: Caller,
  type: DecisionTypeRecord,
  policy: PolicyRecord,
  terms: PromiseTerms,
): Promise<{ type: DecisionTypeRecord; policy: PolicyRecord }> {
  if (policy.status !== 'deployed') {
    throw new WorkbenchError('conflict', 'Only the deployed policy can be given a promise. Deploy this one first.');
  }
  const obstacle = findObstacle(deps, type, policy) ?? findEasierTest(policy);
  if (obstacle !== null) throw new WorkbenchError('conflict', obstacle);
  const found = findPolicyPromise(deps, type, policy, terms);
  if (!found.possible) throw new WorkbenchError('conflict', found.sentence);
  return doByTwo(deps, caller, type, { promise: terms }, (first) =>
    deps.store.transaction(() => {
      declare(deps, type, terms);
      keepFound(deps, findAgain(deps, type), policy, found);
      noteChange(deps, caller, type.id, toPromiseNote(first));
      return { type: findAgain(deps, type), policy: readPolicy(deps.store, policy.id) };
    }),
  );
}

/** Takes back the promise of a type; with four eyes two have to. Throws `conflict` to the first. */
export function withdrawPromise(deps: Foundation, caller: Caller, type: DecisionTypeRecord): Promise<void> {
  return doByTwo(deps, caller, type, { promise: null }, (first) =>
    deps.store.transaction(() => {
      deps.store.promises.withdraw(type.id);
      if (first === null) return;
      const switched = [`The promise was withdrawn, asked for by ${first.name ?? 'somebody'} before.`];
      noteChange(deps, caller, type.id, { reason: null, switched });
    }),
  );
}

/** Reads the promise of a type, and whether the deployed policy keeps it. */
export function readTypePromise({ store, promiseChecks }: KeepDeps, type: DecisionTypeRecord): TypePromise {
  const declared = store.promises.findDeclared(type.id);
  const deployed = store.deployments.find(type.id);
  const policy = deployed && store.policies.byId(deployed.id);
  const { target_error = null, certainty = null, declared_at = null } = declared ?? {};
  const common = { target_error, certainty, declared_at, policy_id: policy?.id ?? null };
  if (declared === null) return { ...common, ...nothingPromised };
  const standing = policy && promiseChecks.readStanding(type, policy);
  if (!standing) {
    return { ...common, state: 'nothing_deployed', sentence: 'The first policy that is deployed is asked for it.' };
  }
  return { ...common, ...standing };
}
