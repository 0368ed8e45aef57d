import type { Caller } from '../auth/caller.ts';
import type { Operation } from '../contract/operation.ts';
import type { Deps } from './context.ts';

/** Tells those who listen that a caller has finished a changing operation. Decisions are announced as log records. */
export function tellChange(
  { events }: Deps,
  name: string,
  row: Operation,
  { caller, params, requestId }: { caller: Caller | null; params: unknown; requestId: string },
): void {
  if (!events.isHeard || caller === null || row.hints.readOnly || row.decides) return;
  const { decision_type_id = null, example_id = null } = params as { decision_type_id?: string; example_id?: string };
  const event = { event: 'change', operation: name, decision_type_id, example_id, request_id: requestId } as const;
  events.tell(caller.organisationId, event);
}
