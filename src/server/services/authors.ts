/** Four eyes: where a type asks for them, what may decide comes to decide by a hand that is not among its authors. */
import { WorkbenchError } from '../../engine/errors.ts';
import { hasScope } from '../auth/auth.ts';
import type { Caller } from '../auth/caller.ts';
import type { Foundation } from '../foundation.ts';
import type { Store } from '../store/store.ts';
import type { Author, Work } from '../store/types/authors.ts';
import type { DecisionTypeRecord } from '../store/types/decision-types.ts';

/** How long an act that one has asked for waits for a second who asks for it. */
const actLifeMs = 7 * 24 * 3600 * 1000;

type GuardedType = Pick<DecisionTypeRecord, 'id' | 'publishing'>;

/** Whose hand a call is from, with the name of the person or key; null for a person without one here. */
export function findAuthor({ accounts }: Store, { userId, apiKeyId, organisationId }: Caller): Author {
  if (apiKeyId === null) {
    const name = userId === null ? null : (accounts.getUser(userId)?.name ?? null);
    return { hand: userId ?? organisationId, name };
  }
  const key = accounts.listKeys(organisationId).find(({ id }) => id === apiKeyId);
  const hand = key?.holder === null || key === undefined ? (key?.madeBy ?? apiKeyId) : `held by ${key.holder}`;
  return { hand, name: key ? `key ${JSON.stringify(key.name)}` : null };
}

/** Adds the caller to the authors of a work. */
export function noteAuthor({ store, clock }: Foundation, caller: Caller, { id }: Pick<GuardedType, 'id'>, work: Work) {
  store.authors.add(id, work, [findAuthor(store, caller)], clock.now());
}

/** Throws `conflict` where a type asks for another hand and the caller's is among the authors of what would decide. */
export function refuseAuthor({ store }: Foundation, caller: Caller, type: GuardedType, work: Work): void {
  if (type.publishing !== 'by_another') return;
  const { hand } = findAuthor(store, caller);
  if (!store.authors.list(type.id, work).some((author) => author.hand === hand)) return;
  const [noun = ''] = work.split(' ');
  throw new WorkbenchError(
    'conflict',
    `You are among the authors of this ${noun}, and this type asks that another person releases it, or a key that somebody else holds.`,
  );
}

/** Whether an import of a caller may say how texts are read from now on, which decides: with four eyes a draft does. */
export const mayAddReadings = (caller: Caller, { publishing }: Pick<GuardedType, 'publishing'>): boolean =>
  hasScope(caller, 'deploy') && publishing !== 'by_another';

/**
 * Does what a type with four eyes lets nobody do alone (another's file, or a guard taken away), once a second hand asks
 * for exactly the same within a week; `work` gets who asked first. Throws `conflict` to the first, whose wish is kept.
 */
export async function doByTwo<T>(
  { store, clock }: Foundation,
  caller: Caller,
  type: GuardedType,
  act: object,
  work: (first: Author | null) => T | Promise<T>,
): Promise<T> {
  if (type.publishing !== 'by_another') return work(null);
  const asked: Work = `act ${JSON.stringify(act)}`;
  const author = findAuthor(store, caller);
  const [first] = store.authors.list(type.id, asked, clock.now() - actLifeMs);
  if (first === undefined || first.hand === author.hand) {
    store.authors.clear(type.id, asked);
    store.authors.add(type.id, asked, [author], clock.now());
    throw new WorkbenchError(
      'conflict',
      'This type asks for four eyes. That you want this is kept for a week: it is done when another person, or a key that somebody else holds, sends the same.',
    );
  }
  const done = await work(first);
  store.authors.clear(type.id, asked);
  return done;
}
