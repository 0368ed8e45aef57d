/** Deleted decision types leave the data folder when nobody can restore them any more. */
import { rmSync } from 'node:fs';
import type { Foundation } from '../../foundation.ts';
import { nextTurn } from '../../process/turns.ts';
import { artifactPath } from '../../runtime/deployed-deciders.ts';
import { emptyWriteAheadLog } from '../../store/database.ts';
import { restorableMs } from '../types/type-deletion.ts';
import type { TrustedTime } from './trusted-time.ts';

/** Removes types deleted over two days ago with all they have; returns how many. `isStopped` ends it early. */
export async function removeExpiredTypes(
  deps: Foundation & { trustedTime: TrustedTime; artifactsDir: string },
  isStopped: () => boolean = () => false,
): Promise<number> {
  const { store, trustedTime, artifactsDir } = deps;
  const types = store.typeRemoval.listExpired(trustedTime.now() - restorableMs);
  for (const type of types) {
    store.typeRemoval.begin(type);
    // Records past their retention are brought back first: all of a type leave in one way.
    for (const records of [store.logs.restore(type.seq), store.logs.forget(type.seq, Number.MAX_SAFE_INTEGER, null)]) {
      for (const _ of records) {
        await nextTurn();
        if (isStopped()) return 0;
      }
    }
    const removal = store.typeRemoval.remove(type);
    let slice = removal.next();
    for (; slice.done !== true; slice = removal.next()) {
      await nextTurn();
      if (isStopped()) return 0;
    }
    for (const policyId of slice.value) rmSync(artifactPath(artifactsDir, policyId), { force: true });
  }
  if (types.length > 0) await emptyWriteAheadLog(deps.db);
  return types.length;
}
