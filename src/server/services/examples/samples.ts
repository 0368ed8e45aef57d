/** Sample projects that come with the program: a decision type with its examples each. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { WorkbenchError } from '../../../engine/errors.ts';
import { jsonObject } from '../../../engine/json.ts';
import type { Caller } from '../../auth/caller.ts';
import { decisionTypeCreateSchema } from '../../contract/types/decision-types.ts';
import type { Foundation } from '../../foundation.ts';
import { newExample } from '../../preparation/examples/new-example.ts';
import { createIdSource } from '../../process/clock.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { checkNewDecisionType, insertDecisionType } from '../types/decision-types.ts';
import { addExamples } from './examples.ts';

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
type Sample = z.output<typeof sampleSchema>;

/** Returns the samples of the installation with their names, in the order of these. */
export async function listSamples(deps: Foundation): Promise<(Sample & { name: string })[]> {
  const files = await readdir(path.join(deps.options.resourcesDir, 'samples'));
  const names = files.filter((file) => file.endsWith('.json')).map((file) => path.basename(file, '.json'));
  return Promise.all(names.sort().map(async (name) => ({ name, ...(await readSample(deps, name)) })));
}

/** Makes a sample's type with its examples and the writes of `alongside`, or nothing; throws `not_found`. */
export async function createFromSample(
  deps: Foundation,
  caller: Caller,
  name: string,
  alongside?: (type: DecisionTypeRecord) => void,
): Promise<DecisionTypeRecord> {
  const sample = await readSample(deps, name);
  const definition = await checkNewDecisionType(deps, caller, sample.decision_type);
  return deps.store.transaction(() => {
    const type = insertDecisionType(deps, caller, sample.decision_type, definition);
    // All of one time, so that the sample trains alike wherever it is made.
    const newId = createIdSource(() => type.createdAt);
    const examples = sample.examples.map(({ input, decision, reason_codes }) =>
      newExample({ newId }, type, { input, decision, reasonCodes: reason_codes }, type.createdAt),
    );
    addExamples(deps, type, examples, ['path', 'name']);
    alongside?.(type);
    return type;
  });
}

async function readSample(deps: Foundation, name: string): Promise<Sample> {
  let text: string;
  try {
    text = await readFile(path.join(deps.options.resourcesDir, 'samples', `${name}.json`), 'utf8');
  } catch (cause) {
    throw new WorkbenchError('not_found', 'There is no sample of this name.', undefined, { cause });
  }
  return sampleSchema.parse(JSON.parse(text));
}
