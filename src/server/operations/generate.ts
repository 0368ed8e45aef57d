/** Synthetic examples on request. */

import { toExample } from '../preparation/example-wire.ts';
import { generateExamples } from '../services/generation.ts';
import type { Handlers } from './context.ts';

export const generateHandlers = {
  'examples.generate': async (deps, { caller, params, body }) => {
    const examples = await generateExamples(deps, caller, params.decision_type_id, body);
    return examples.map(toExample);
  },
} satisfies Handlers<'examples.generate'>;
