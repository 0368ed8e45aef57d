import { decisionOperations } from '../contract/decisions.ts';
import type { Operation } from '../contract/operation.ts';
import type { Deps } from './context.ts';

/**
 * Waits while another process keeps an operation from writing; rejects with `unavailable` after five seconds. Reads need
 * not wait, and decisions wait in their commit queue.
 */
export function awaitWriteLock(
  { store }: Pick<Deps, 'store'>,
  name: string,
  row: Operation,
): Promise<void> | undefined {
  if (row.hints.readOnly || Object.hasOwn(decisionOperations, name) || store.writeLock.isFree()) return undefined;
  return store.writeLock.whenFree();
}
