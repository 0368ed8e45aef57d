/** The import of a file: begun with its upload, planned after each choice, and committed at once. */
import { rmSync } from 'node:fs';
import { toValidationError } from '../../../../door/errors/validation-error.ts';
import type { ConflictChoice } from '../../../../engine/export/merge.ts';
import { startChoices } from '../../../../engine/import/planning/import-choices.ts';
import { requireScope } from '../../../auth/auth.ts';
import { type Caller, toCallerId } from '../../../auth/caller.ts';
import type { ImportPlan } from '../../../contract/examples/import-plan.ts';
import type { ImportChoice } from '../../../contract/examples/imports.ts';
import { toFolderPaths } from '../../../data-folder/folder.ts';
import type { Foundation } from '../../../foundation.ts';
import type { OpenOrder } from '../../../preparation/imports/open-import.ts';
import type { WrittenImport } from '../../../preparation/imports/write-import.ts';
import type { SpilledForm } from '../../../preparation/spilled-form.ts';
import type { TaskInput, TaskName, TaskOutput } from '../../../preparation/tasks.ts';
import type { DecisionTypeRecord } from '../../../store/types/decision-types.ts';
import { mayAddReadings } from '../../authors.ts';
import { findDecisionType, refuseAnother, refuseChangedMeanwhile } from '../../types/decision-types.ts';
import type { ExampleAdditions } from '../example-additions.ts';
import { toExampleType } from '../examples.ts';
import { applyMerges } from './example-import.ts';
import { type Committed, type FileImport, type Imports, planExtension, planNewType } from './imports.ts';

type ImportDeps = Foundation & { imports: Imports };

/** Removes the files of imports that a former run of the program left open. */
export function removeLeftUploads(dataDir: string): void {
  rmSync(toFolderPaths(dataDir).imports, { recursive: true, force: true });
}

/** Begins the import of an uploaded file. Throws `validation_error`, `decision_type_not_found` or `forbidden`. */
export async function beginFileImport(
  deps: ImportDeps,
  caller: Caller,
  upload: SpilledForm,
): Promise<{ id: string; plan: ImportPlan }> {
  const known: FileImport = {
    id: deps.newId(),
    callerId: toCallerId(caller),
    startedAt: deps.clock.now(),
    upload,
    fileName: '',
    typeId: null,
    name: undefined,
    choices: startChoices({}),
    progress: null,
    isCommitting: false,
    cancelling: new AbortController(),
    turn: Promise.resolve(),
    release() {
      deps.preparation.heldFiles.drop(this.id);
      upload.remove().catch((error: unknown) => deps.log.warn({ error }, 'the file of an import was not removed'));
    },
  };
  const leave = () => deps.imports.cancel(known);
  upload.signal.addEventListener('abort', leave);
  try {
    const { name, fields } = await ask(deps, known, 'openUpload', { source: upload });
    const { decision_type_id, name: typeName, ...reading } = fields;
    Object.assign(known, { fileName: name, typeId: decision_type_id ?? null, name: typeName });
    known.choices = startChoices(reading);
    if (known.typeId === null) requireScope(caller, 'train');
    if (typeName !== undefined) refuseAnother(deps, caller, typeName);
    const plan = await choose(deps, caller, known, {});
    deps.imports.add(known);
    return { id: known.id, plan };
  } catch (error) {
    known.release();
    throw error;
  } finally {
    upload.signal.removeEventListener('abort', leave);
  }
}

/** Runs a task about an import's file; one that ends with the import is refused as the import was ended. */
async function ask<N extends TaskName>(
  deps: Foundation,
  { id, callerId, cancelling: { signal } }: FileImport,
  name: N,
  input: TaskInput<N>,
): Promise<TaskOutput<N>> {
  try {
    return await deps.preparation.heldFiles.run(callerId, name, input, { holds: id });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function toOrder(deps: Foundation, known: FileImport, type: DecisionTypeRecord | null): OpenOrder {
  const { path, contentType } = known.upload;
  return {
    source: { path, contentType },
    type: type === null ? null : toExampleType(type),
    merge: { databaseFile: toFolderPaths(deps.options.dataDir).database, piiFields: type?.piiFields ?? [] },
    choices: known.choices,
    nowMs: known.startedAt,
  };
}

const findType = (deps: Foundation, caller: Caller, { typeId }: FileImport) =>
  typeId === null ? null : findDecisionType(deps, caller, typeId);

/** Does something with an import when what was asked before is done. */
function inTurn<T>(known: FileImport, run: () => Promise<T>): Promise<T> {
  const done = known.turn.then(() => {
    known.cancelling.signal.throwIfAborted();
    return run();
  });
  known.turn = done.catch(() => undefined);
  return done;
}

async function choose(deps: Foundation, caller: Caller, known: FileImport, choice: ImportChoice): Promise<ImportPlan> {
  const type = findType(deps, caller, known);
  const order = { ...toOrder(deps, known, type), choice };
  const { choices, plan } = await ask(deps, known, 'planOpenImport', order);
  known.choices = choices;
  return plan;
}

/** Plans an import with a further choice; one that is refused changes nothing. */
export function chooseInImport(
  deps: Foundation,
  caller: Caller,
  known: FileImport,
  choice: ImportChoice,
): Promise<ImportPlan> {
  return inTurn(known, () => choose(deps, caller, known, choice));
}

/** Reads rows of the file of an import. */
export function readRows(
  deps: Foundation,
  caller: Caller,
  known: FileImport,
  { from, count, label, as }: { from: number; count: number; label?: string | undefined; as: 'cells' | 'examples' },
) {
  const read = () => {
    const order = toOrder(deps, known, findType(deps, caller, known));
    return ask(deps, known, 'readImportRows', { ...order, from, count, label, as });
  };
  return inTurn(known, read);
}

/** Makes an import count with what `alongside` writes. Throws `validation_error` (open) and `conflict`; it goes on. */
export function commitFile(
  deps: ImportDeps & { exampleAdditions: ExampleAdditions },
  caller: Caller,
  known: FileImport,
  request: { name?: string | undefined; on_conflict: ConflictChoice; strict: boolean },
  alongside: (committed: Committed) => void,
): Promise<Committed> {
  return inTurn(known, async () => {
    const type = findType(deps, caller, known);
    const name = request.name ?? known.name;
    if (type === null && name === undefined)
      throw toValidationError([{ type: 'missing', loc: ['body', 'name'], msg: 'name the decision type that is made' }]);
    if (type === null && name !== undefined) refuseAnother(deps, caller, name);
    known.isCommitting = true;
    try {
      const typeId = type?.id ?? deps.newId();
      const { on_conflict: onConflict, strict } = request;
      const order = { ...toOrder(deps, known, type), typeId, onConflict, strict };
      const written = await ask(deps, known, 'writeOpenImport', order);
      return await writeAll(deps, caller, known, { type, typeId, name }, written, alongside);
    } finally {
      known.isCommitting = false;
      known.progress = null;
    }
  });
}

type Target = { type: DecisionTypeRecord | null; typeId: string; name: string | undefined };

async function writeAll(
  deps: ImportDeps & { exampleAdditions: ExampleAdditions },
  caller: Caller,
  known: FileImport,
  { type, typeId, name }: Target,
  { rows, ids, names, merges, merge }: WrittenImport,
  alongside: (committed: Committed) => void,
): Promise<Committed> {
  if (type !== null && names.options.length + names.reason_codes.length + names.pii_fields.length > 0)
    requireScope(caller, 'deploy');
  const readings = type === null || mayAddReadings(caller, type) ? names.readings : {};
  const request = { ...names, readings };
  const plan =
    type === null
      ? await planNewType(deps, caller, { ...request, name }, typeId)
      : await planExtension(deps, caller, typeId, request);
  if (type !== null) refuseChangedMeanwhile(deps, findDecisionType(deps, caller, typeId), type);
  const begin = () => plan.begin(rows.count);
  let committed: Committed | null = null;
  const end = () => {
    applyMerges(deps, merges);
    committed = { type: plan.end(), examples: rows.count, ids, merge };
    alongside(committed);
  };
  const note = (share: number) => {
    known.progress = share;
  };
  await deps.exampleAdditions.add(rows, begin, end, known.cancelling.signal, [], note);
  deps.imports.finish(known);
  if (committed === null) throw new Error('An addition ended without its last transaction.');
  return committed;
}
