/** Handlers of explanations: what would change a decision, for a log record and for an example. */
import { toCallerId } from '../../auth/caller.ts';
import { explainExample, explainLogged } from '../../services/deciding/explaining.ts';
import type { Handlers } from '../context.ts';

export const explainingHandlers = {
  'logs.explain': (deps, { type, caller, params }) =>
    deps.explanationTurns.take(toCallerId(caller), () => explainLogged(deps, type, params.log_id)),

  'examples.explain': (deps, { type, caller, params }) =>
    deps.explanationTurns.take(toCallerId(caller), () => explainExample(deps, type, params.example_id)),
} satisfies Handlers;
