/** Synthetic examples on request. */
import { toExample } from '../../preparation/example-wire.ts';
import { generateExamples } from '../../services/examples/generation.ts';
import type { Handlers } from '../context.ts';

export const generateHandlers = {
  'examples.generate': async (deps, { caller, params, body, receipt }) => {
    const examples = await generateExamples(deps, caller, params.decision_type_id, body, (made) =>
      receipt?.keep(made.map(toExample)),
    );
    return examples.map(toExample);
  },
} satisfies Handlers;
