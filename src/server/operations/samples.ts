import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { jsonObject } from '../../engine/domain.ts';
import { WorkbenchError } from '../../engine/errors.ts';
import { decisionTypeCreateSchema } from '../contract/decision-types.ts';
import type { Deps, Handlers } from './context.ts';
import { createDecisionType, toDecisionType } from './decision-types.ts';

const sampleSchema = z.strictObject({
  title: z.string(),
  description: z.string(),
  decision_type: decisionTypeCreateSchema,
  examples: z.array(
    z.strictObject({
      input: jsonObject,
      decision: z.string().nullable(),
      reason_codes: z.array(z.string()).default([]),
    }),
  ),
});

async function readSample(deps: Deps, name: string) {
  const file = path.join(deps.options.resourcesDir, 'samples', `${name}.json`);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new WorkbenchError('not_found', 'There is no sample of this name.', undefined, { cause });
  }
  return sampleSchema.parse(JSON.parse(text));
}

export const sampleHandlers = {
  'samples.list': async (deps) => {
    const files = await readdir(path.join(deps.options.resourcesDir, 'samples'));
    const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -5));
    return Promise.all(
      names.sort().map(async (name) => {
        const { title, description, examples } = await readSample(deps, name);
        return { name, title, description, examples: examples.length };
      }),
    );
  },
  'samples.create': async (deps, { caller, params }) => {
    const sample = await readSample(deps, params.name);
    const row = await createDecisionType(deps, caller, sample.decision_type);
    const now = deps.clock.now();
    deps.store.transaction(() => {
      for (const example of sample.examples) {
        deps.store.examples.insert({
          id: deps.newId(),
          decisionTypeId: row.id,
          input: example.input,
          decision: example.decision,
          reasonCodes: example.reason_codes,
          source: 'user',
          reviewed: false,
          logId: null,
          createdAt: now,
          updatedAt: now,
        });
      }
    });
    return toDecisionType(deps, row);
  },
} satisfies Handlers<'samples.list' | 'samples.create'>;
