/** Sample projects: listed, and made into decision types with their examples. */
import { createFromSample, listSamples } from '../services/samples.ts';
import type { Handlers } from './context.ts';
import { toDecisionType } from './decision-type-wire.ts';

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
  'samples.create': async (deps, { caller, params }) =>
    toDecisionType(deps, await createFromSample(deps, caller, params.name)),
} satisfies Handlers<'samples.list' | 'samples.create'>;
