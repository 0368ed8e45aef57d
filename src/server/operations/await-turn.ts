import type { Operation } from '../contract/operation.ts';
import type { Deps } from './context.ts';

/**
 * Waits while examples are being added to the type, and for the write lock; undefined where there is nothing to wait
 * for. Rejects with `unavailable` after five seconds.
 */
export function awaitTurn(
  { store, exampleAdditions }: Deps,
  row: Operation,
  params: unknown,
): Promise<void> | undefined {
  if (row.decides) return undefined;
  const typeId = row.ignoresExamples ? undefined : readTypeId(params);
  const adding = typeId === undefined ? undefined : exampleAdditions.whenDone(typeId);
  const awaitLock = () => (row.hints.readOnly || store.writeLock.isFree() ? undefined : store.writeLock.whenFree());
  return adding === undefined ? awaitLock() : adding.then(awaitLock);
}

function readTypeId(params: unknown): string | undefined {
  const { decision_type_id: id } = params as { decision_type_id?: string };
  return id;
}
