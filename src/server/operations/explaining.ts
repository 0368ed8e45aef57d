/** What would change a decision, for a log record and for an example. */
import { findDecisionType } from '../services/decision-types.ts';
import { explainExample, explainLogged } from '../services/explaining.ts';
import type { Handlers } from './context.ts';

export const explainingHandlers = {
  'logs.explain': (deps, { caller, params }) =>
    explainLogged(deps, findDecisionType(deps, caller, params.decision_type_id), params.log_id),

  'examples.explain': (deps, { caller, params }) =>
    explainExample(deps, findDecisionType(deps, caller, params.decision_type_id), params.example_id),
} satisfies Handlers<'logs.explain' | 'examples.explain'>;
