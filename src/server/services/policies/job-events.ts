/** Telling those who listen that work in the background has moved on. */
import type { AnalysisOrders } from '../../analysis/analysis-child.ts';
import type { Foundation } from '../../foundation.ts';
import { readWithType } from './policies.ts';
import type { PromiseChecks } from './promises.ts';

/** Tells the listeners of the type's organisation that an analysis has moved on or ended. */
export function tellJob(
  { events, store }: Foundation,
  job: keyof AnalysisOrders,
  typeId: string,
  ended: boolean,
): void {
  const organisationId = events.isHeard ? store.decisionTypes.findOrganisation(typeId) : null;
  if (organisationId === null) return;
  events.tell(organisationId, { event: 'job', job, decision_type_id: typeId, policy_id: null, ended });
}

/** Tells the listeners of the policy's organisation that its training has moved on or ended. */
export function tellTraining({ events, store }: Foundation, policyId: string, ended: boolean): void {
  const policy = events.isHeard ? store.policies.byId(policyId) : null;
  if (policy === null || policy.isTypeDeleted) return;
  const { decisionTypeId, organisationId } = policy;
  const of = { decision_type_id: decisionTypeId, policy_id: policyId };
  events.tell(organisationId, { event: 'job', job: 'training', ...of, ended });
}

/** Tells how the promise of its type stands with a policy that was trained or deployed; nothing without a promise. */
export function tellPromise(
  { events, store, promiseChecks }: Foundation & { promiseChecks: PromiseChecks },
  id: string,
): void {
  if (!events.isHeard) return;
  const { policy, type } = readWithType(store, id);
  const state = promiseChecks.readStanding(type, policy)?.state ?? 'nothing_promised';
  if (state === 'nothing_promised') return;
  const of = { decision_type_id: type.id, policy_id: id };
  events.tell(type.organisationId, { event: 'promise', ...of, state, held_back: policy.heldBack !== null });
}
