/** Work that leaves the server's thread when it is large: each task is a function of its input alone. */

import { parsePart } from '../../door/errors/parse-part.ts';
import type { ErrorDetail } from '../../engine/errors.ts';
import type { JsonObject } from '../../engine/json.ts';
import { compileInputSchema } from '../../engine/schema/input-schema.ts';
import { type Place, readJsonBody } from '../../engine/strict-json/json-body.ts';
import type { Operation } from '../contract/operation.ts';
import { type OperationName, operations } from '../contract/operations.ts';
import type { OrderInput, OrderName, OrderOutput } from '../process/orders.ts';
import { readMovedFile } from './archives/read-moved.ts';
import { packTypeArchive } from './archives/write-archive.ts';
import { prepareExamples } from './examples/prepare-examples.ts';
import {
  forgetUpload,
  type HeldFile,
  openUpload,
  planOpenImport,
  readImportRows,
  writeOpenImport,
} from './imports/open-import.ts';
import { readImport } from './imports/read-import.ts';
import { analyseRules } from './rules/analyse-rules.ts';
import { checkDefinition } from './rules/definition-checks.ts';
import { checkRules } from './rules/rules-findings.ts';
import { tryRules } from './rules/try-rules.ts';
import { stageTextModel } from './stage-text-model.ts';
import { writeOpenApi } from './write-openapi.ts';

function checkInput({ schema, input }: { schema: JsonObject; input: JsonObject }): ErrorDetail[] {
  return compileInputSchema(schema)(input);
}

/** Makes the tasks of a process, which holds the file of an import between those about it. */
export function openTasks() {
  const held: HeldFile = { upload: null, read: null };
  const about =
    <Input, Output>(task: (input: Input, held: HeldFile) => Output) =>
    (input: Input) =>
      task(input, held);
  return {
    checkBody,
    prepareExamples,
    readImport: (order: Parameters<typeof readImport>[0]) => readImport(order),
    checkRules,
    analyseRules,
    checkDefinition,
    checkInput,
    tryRules,
    packTypeArchive,
    readMovedFile,
    stageTextModel,
    openUpload: about(openUpload),
    forgetUpload: about(forgetUpload),
    planOpenImport: about(planOpenImport),
    readImportRows: about(readImportRows),
    writeOpenImport: about(writeOpenImport),
    writeOpenApi,
  };
}

export type Tasks = ReturnType<typeof openTasks>;
export type TaskName = OrderName<Tasks>;
export type TaskInput<N extends TaskName> = OrderInput<Tasks, N>;
export type TaskOutput<N extends TaskName> = OrderOutput<Tasks, N>;

/** Bounds a body checked elsewhere, so that the server's thread parses it again within some 50 ms. */
const maxValues = 524_288;

/** Reads a body by an operation's schema (null: agent tools), or returns the refusal. Throws as `readJsonBody`. */
function checkBody(request: { bytes: Uint8Array; operation: OperationName | null }): {
  problems: ErrorDetail[];
  lostDigits: Place[] | null;
} {
  let lostDigits: Place[] | null = null;
  const value = readJsonBody(request.bytes, maxValues, (places) => {
    lostDigits = places;
  });
  if (request.operation === null) return { problems: [], lostDigits };
  const { body: schema, decides }: Operation = operations[request.operation];
  if (schema === undefined || decides) return { problems: [], lostDigits };
  const parsed = parsePart(schema, value, 'body');
  return { problems: parsed.ok ? [] : parsed.problems, lostDigits };
}
