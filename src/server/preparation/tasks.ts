/**
 * Work that leaves the server's main thread when it is large: each task is a function of its input alone. What is held
 * of the file of an open import only saves reading it again.
 */

import type { ErrorDetail } from '../../engine/errors.ts';
import type { JsonObject } from '../../engine/json.ts';
import { compileInputSchema } from '../../engine/schema/input-schema.ts';
import { analyseRules } from './analyse-rules.ts';
import { readMovedFile } from './archives/read-moved.ts';
import { packTypeArchive } from './archives/write-archive.ts';
import { checkBody } from './check-body.ts';
import { checkDefinition } from './definition-checks.ts';
import {
  forgetUpload,
  type HeldFile,
  openUpload,
  planOpenImport,
  readImportRows,
  writeOpenImport,
} from './open-import.ts';
import { prepareExamples } from './prepare-examples.ts';
import { readImport } from './read-import.ts';
import { checkRules } from './rules-findings.ts';
import { stageTextModel } from './stage-text-model.ts';
import { tryRules } from './try-rules.ts';

function checkInput({ schema, input }: { schema: JsonObject; input: JsonObject }): ErrorDetail[] {
  return compileInputSchema(schema)(input);
}

const tasks = {
  checkBody,
  prepareExamples,
  readImport,
  checkRules,
  analyseRules,
  checkDefinition,
  checkInput,
  tryRules,
  packTypeArchive,
  readMovedFile,
  stageTextModel,
  openUpload,
  forgetUpload,
  planOpenImport,
  readImportRows,
  writeOpenImport,
};

type Tasks = typeof tasks;
export type TaskName = keyof Tasks;
export type TaskInput<N extends TaskName> = Parameters<Tasks[N]>[0];
export type TaskOutput<N extends TaskName> = Awaited<ReturnType<Tasks[N]>>;

/** Runs a task by its name, in the process that it is called in. */
export async function runTask<N extends TaskName>(
  name: N,
  input: TaskInput<N>,
  held: HeldFile,
): Promise<TaskOutput<N>> {
  // The type of each function fits its own name; over all names together it cannot say so.
  const task = tasks[name] as (input: TaskInput<N>, held: HeldFile) => TaskOutput<N> | Promise<TaskOutput<N>>;
  return task(input, held);
}
