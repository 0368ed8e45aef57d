/** Runs an operation for either door, in its turn; then notifies listeners and notes the activity. */
import { mapMaybePromise } from '../../door/maybe-promise.ts';
import type { Place } from '../../engine/strict-json/json-body.ts';
import type { Caller } from '../auth/caller.ts';
import type { Operation } from '../contract/operation.ts';
import type { OperationName } from '../contract/operations.ts';
import { findPolicy } from '../services/policies/policies.ts';
import type { Receipt } from '../services/receipts.ts';
import { findDecisionType } from '../services/types/decision-types.ts';
import type { DecisionTypeRecord } from '../store/types/decision-types.ts';
import { noteActivity } from './account/activity.ts';
import type { Deps } from './context.ts';
import { operationHandlers } from './handlers.ts';

/** A call whose parts were read by the row of its operation. */
export type OperationCall = {
  params: unknown;
  query: unknown;
  body: unknown;
  caller: Caller | null;
  lostDigits: readonly Place[] | null;
  receipt: Receipt | null;
  ifMatch: string | null;
  sendsExtras: boolean;
  requestId: string;
  baseUrl: string;
};

/** Runs an operation; rejects, or throws, as its handler does, and `unavailable` where its turn takes 5 s to come. */
export function runOperation(deps: Deps, name: OperationName, row: Operation, call: OperationCall): unknown {
  // Each handler fits its own row; over all rows together the types cannot say so.
  const handler = operationHandlers[name] as (deps: Deps, call: unknown) => unknown;
  const handle = () => {
    // A decision names nothing in its path, and what finds the named would take it 2 µs.
    const named = row.params === undefined ? call : withNamed(deps, call);
    return mapMaybePromise(handler(deps, named), (answer) => {
      tellChange(deps, name, row, call);
      noteActivity(deps, name, call.caller, call, answer);
      return answer;
    });
  };
  const turn = awaitTurn(deps, row, call.params);
  return turn === undefined ? handle() : turn.then(handle);
}

/** Waits for additions to the type and the write lock; undefined without any. */
export function awaitTurn(
  { store, exampleAdditions }: Deps,
  row: Operation,
  params: unknown,
): Promise<void> | undefined {
  if (row.decides) return undefined;
  const { decision_type_id: typeId } = params as { decision_type_id?: string };
  const adding = typeId === undefined || row.ignoresExamples ? undefined : exampleAdditions.whenDone(typeId);
  const awaitLock = () => (row.hints.readOnly || store.writeLock.isFree() ? undefined : store.writeLock.whenFree());
  return adding === undefined ? awaitLock() : adding.then(awaitLock);
}

/** Tells those who listen that a caller has finished a changing operation. Decisions are announced as log records. */
function tellChange(
  { events }: Deps,
  name: string,
  row: Operation,
  { caller, params, requestId }: Pick<OperationCall, 'caller' | 'params' | 'requestId'>,
): void {
  if (!events.isHeard || caller === null || row.hints.readOnly || row.decides) return;
  const { decision_type_id = null, example_id = null } = params as { decision_type_id?: string; example_id?: string };
  const event = { event: 'change', operation: name, decision_type_id, example_id, request_id: requestId } as const;
  events.tell(caller.organisationId, event);
}

/** Adds the type and the policy of the path; finding them throws as `findDecisionType` and `findPolicy` do. */
function withNamed(deps: Deps, call: OperationCall) {
  const ids = call.params as { decision_type_id: string; policy_id: string };
  let type: DecisionTypeRecord | null = null;
  const findType = (): DecisionTypeRecord => {
    if (call.caller === null) throw new Error('An authorised request has no caller.');
    type ??= findDecisionType(deps, call.caller, ids.decision_type_id);
    return type;
  };
  return {
    ...call,
    get type() {
      return findType();
    },
    get policy() {
      return findPolicy(deps.store, findType(), ids.policy_id);
    },
  };
}
