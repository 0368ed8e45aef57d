import type { Operation } from '../contract/operation.ts';
import type { Deps } from './context.ts';

/** Waits for additions to the type and the write lock; undefined without any. Rejects `unavailable` after 5 s. */
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
