/** What would change a decision, for a log record and for an example. */
import { toCallerId } from '../../auth/caller.ts';
import { explainExample, explainLogged } from '../../services/deciding/explaining.ts';
import { findDecisionType } from '../../services/types/decision-types.ts';
import type { Deps, Handlers } from '../context.ts';

type Used = Pick<Deps, 'store' | 'clock' | 'runtime' | 'explanationTurns'>;

export const explainingHandlers = {
  'logs.explain': (deps, { caller, params }) =>
    deps.explanationTurns.take(toCallerId(caller), () =>
      explainLogged(deps, findDecisionType(deps, caller, params.decision_type_id), params.log_id),
    ),

  'examples.explain': (deps, { caller, params }) =>
    deps.explanationTurns.take(toCallerId(caller), () =>
      explainExample(deps, findDecisionType(deps, caller, params.decision_type_id), params.example_id),
    ),
} satisfies Handlers<Used>;
