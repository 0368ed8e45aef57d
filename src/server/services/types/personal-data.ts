/** Personal fields that are declared late: the places that still hold their values, and their removal. */

import { nextTurn } from '../../../door/turns.ts';
import { isPiiField } from '../../../engine/pii.ts';
import type { Auth } from '../../auth/auth.ts';
import type { Foundation } from '../../foundation.ts';
import { emptyWriteAheadLog } from '../../store/database.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';

/** Places that may still hold values of a type's personal fields. */
export type PersonalResidue = {
  /** Policies trained before one of the fields was declared; their files hold inputs, and perhaps categories. */
  policies: string[];
  logRecords: number;
  isClearing: boolean;
};

/** Whether every one of the paths lies at or below a declared one. */
export function isCovered(paths: readonly string[], declared: readonly string[]): boolean {
  return paths.every((path) => isPiiField([path], declared));
}

/** Returns the places that may still hold values of the type's personal fields, or null. */
export function findResidue({ store }: Foundation, type: DecisionTypeRecord): PersonalResidue | null {
  if (type.piiFields.length === 0) return null;
  const policies = store.personalResidues
    .listPolicies(type.id)
    .filter(({ piiFields }) => piiFields === null || !isCovered(type.piiFields, piiFields))
    .map(({ id }) => id);
  const log = store.personalResidues.findLogResidue(type.seq);
  const logRecords = log === null ? 0 : store.personalResidues.countRecords(type.seq, log.rawTo);
  if (policies.length === 0 && logRecords === 0) return null;
  return { policies, logRecords, isClearing: log?.isClearing ?? false };
}

/** Starts to rewrite the records of a type in the background; `continueClearing` does it, also after a restart. */
export function requestClearing({ store }: Foundation, type: DecisionTypeRecord): void {
  if (type.piiFields.length === 0) return;
  // Decisions that were under way when the fields were declared were written after it.
  store.transaction(() => store.personalResidues.note(type.seq, true));
}

/** Rewrites records, a slice a turn, then empties the write-ahead log; `isStopped` ends it early. */
export async function continueClearing(
  deps: Foundation & { auth: Pick<Auth, 'redact'> },
  isStopped: () => boolean,
): Promise<void> {
  const types = deps.store.personalResidues.listClearing();
  for (const typeSeq of types) {
    let hasMore = true;
    while (hasMore) {
      if (isStopped()) return;
      await deps.store.writeLock.whenFree();
      hasMore = deps.store.personalResidues.rewriteSome(typeSeq, deps.auth.redact);
      await nextTurn();
    }
  }
  if (types.length > 0) await emptyWriteAheadLog(deps.db);
}
