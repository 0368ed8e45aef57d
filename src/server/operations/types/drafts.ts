/** Drafts over the wire. */

import { assessDraft, compileDraft, findDraftPolicy } from '../../services/deciding/publishing.ts';
import { type Replay, replayNewest } from '../../services/deciding/replay.ts';
import { toTypeTag } from '../../services/types/decision-types.ts';
import { discardDraft, keepDraft, withDraft } from '../../services/types/drafts.ts';
import type { Handlers } from '../context.ts';
import { toDraft } from './decision-type-wire.ts';

function countChanges({ differing }: Replay) {
  const groups = Map.groupBy(differing, ({ deployed, replayed }) =>
    JSON.stringify([deployed.decision, replayed.decision]),
  );
  return [...groups.values()]
    .flatMap((rows) => {
      const [first] = rows;
      return first ? [{ from: first.deployed.decision, to: first.replayed.decision, decisions: rows.length }] : [];
    })
    .sort((a, b) => b.decisions - a.decisions);
}

export const draftHandlers = {
  'drafts.get': async (deps, { caller, type: found, query }) => {
    const type = withDraft(found);
    const effect = await assessDraft(deps, caller, type);
    const policy = query.logged === 0 ? null : findDraftPolicy(deps, type);
    const replay = policy && (await replayNewest(deps, type, compileDraft(deps, type, policy), query.logged));
    return {
      ...toDraft(type),
      ...effect,
      logged: replay && { rows: replay.rows, refused: replay.refused, changed: countChanges(replay) },
      etag: toTypeTag(deps, type),
    };
  },

  'drafts.put': async (deps, { caller, type, body, ifMatch }) => {
    const { draft, ...drafted } = await keepDraft(deps, caller, type.id, body, ifMatch);
    return draft && toDraft({ ...drafted, draft });
  },

  'drafts.delete': (deps, { type, ifMatch }) => discardDraft(deps, type, ifMatch),
} satisfies Handlers;
