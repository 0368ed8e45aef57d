/** Deciding over the wire, at the workbench's door. */
import { answerBatch, answerDecide, readDecideBody } from '../../../door/deciding/decide-calls.ts';
import { toCallerId } from '../../auth/caller.ts';
import { explainInput } from '../../services/deciding/explaining.ts';
import { findDeciding } from '../../services/deciding/find-decider.ts';
import type { Handlers } from '../context.ts';

export const decideHandlers = {
  decide(deps, call) {
    const request = readDecideBody(call.body);
    const decide = () => answerDecide(deps.deciding, request, call.query, call);
    if (!call.query.explain) return decide();
    // It waits for its turn to decide: a refused call is not charged.
    return deps.explanationTurns.take(toCallerId(call.caller), async () => {
      const answer = await decide();
      const { type, pinned } = findDeciding(deps, call.caller, request.decision_type);
      return { ...answer, explain: await explainInput(deps, type, request.input, pinned) };
    });
  },

  'decide.batch': (deps, call) => answerBatch(deps.deciding, call.body, call.query.dry_run, call),
} satisfies Handlers;
