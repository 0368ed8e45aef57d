/** Labelling: the next examples with suggestions, and similar ones. */
import { findDecisionType } from '../services/decision-types.ts';
import { findSimilarExamples, takeNextExamples } from '../services/labelling.ts';
import type { Handlers } from './context.ts';
import { toExample } from './example-wire.ts';

export const labellingHandlers = {
  'examples.next': async (deps, { caller, params, query }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const next = await takeNextExamples(deps, type, query);
    return {
      items: next.items.map((item) => ({ ...item, example: toExample(item.example) })),
      remaining: next.remaining,
      recent_accuracy: next.recent.of === 0 ? null : next.recent.right / next.recent.of,
      recent: next.recent,
      stop_hint: next.stopHint,
      labelling_model: { examples_read: next.examplesRead, labels: next.labels },
    };
  },

  'examples.similar': async (deps, { caller, params, query }) => {
    const type = findDecisionType(deps, caller, params.decision_type_id);
    const similar = await findSimilarExamples(deps, type, params.example_id, query.count);
    return { items: similar.map(({ example, similarity }) => ({ example: toExample(example), similarity })) };
  },
} satisfies Handlers<'examples.next' | 'examples.similar'>;
