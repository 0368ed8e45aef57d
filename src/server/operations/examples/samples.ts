/** Sample projects: listed, and made into decision types with their examples. */
import { createFromSample, listSamples } from '../../services/examples/samples.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import type { Handlers } from '../context.ts';
import { toDecisionType } from '../types/decision-type-wire.ts';

export const sampleHandlers = {
  'samples.list': async (deps) => {
    const samples = await listSamples(deps);
    return samples.map(({ name, title, description, examples }) => ({
      name,
      title,
      description,
      examples: examples.length,
    }));
  },
  'samples.create': async (deps, { caller, params, receipt }) => {
    const keep = (type: DecisionTypeRecord) => receipt?.keep(toDecisionType(deps, type));
    return toDecisionType(deps, await createFromSample(deps, caller, params.name, keep));
  },
} satisfies Handlers;
