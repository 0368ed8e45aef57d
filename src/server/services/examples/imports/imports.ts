/** Imports under way, of a file or in parts: begun, and committed at once or never. */
import type { ZodType, z } from 'zod';
import { BusyError } from '../../../../door/errors/busy-error.ts';
import { parsePart } from '../../../../door/errors/parse-part.ts';
import { toValidationError } from '../../../../door/errors/validation-error.ts';
import { WorkbenchError } from '../../../../engine/errors.ts';
import type { ImportChoices } from '../../../../engine/import/planning/import-choices.ts';
import { limits } from '../../../../engine/limits.ts';
import { isPiiField } from '../../../../engine/pii.ts';
import { type Caller, toCallerId } from '../../../auth/caller.ts';
import type { ImportResult } from '../../../contract/examples/examples.ts';
import type { ImportPlan } from '../../../contract/examples/imports.ts';
import { decisionTypeCreateSchema, decisionTypeUpdateSchema } from '../../../contract/types/decision-types.ts';
import type { Foundation } from '../../../foundation.ts';
import type { ExampleType } from '../../../preparation/examples/prepare-examples.ts';
import type { SpilledForm } from '../../../preparation/spilled-form.ts';
import type { ExampleRows } from '../../../store/examples/examples.ts';
import type { DecisionTypeRecord } from '../../../store/types/decision-types.ts';
import { refuseTooMany } from '../../example-limit.ts';
import {
  checkNewDecisionType,
  checkUpdate,
  findDecisionType,
  insertDecisionType,
  refuseAnother,
  writeUpdate,
} from '../../types/decision-types.ts';
import type { ExampleAdditions } from '../example-additions.ts';

/** `ids` and `merge` are null unless it was the import of a file. */
export type Committed = {
  type: DecisionTypeRecord;
  examples: number;
  ids: string[] | null;
  merge: ImportResult['merge'];
};

/** Changes to the decision type: `begin` writes before the first rows, `end` with the last ones. */
type TypePlan = { type: ExampleType; begin(rows: number): void; end(): DecisionTypeRecord };
type UnderWay = {
  id: string;
  callerId: string;
  startedAt: number;
  isCommitting: boolean;
  cancelling: AbortController;
};
export type OpenImport = UnderWay & TypePlan & { parts: Map<number, ExampleRows> };
/** An import of a file, which lies in the data folder until it ends. */
export type FileImport = UnderWay & {
  upload: SpilledForm;
  fileName: string;
  /** The type that gains the examples; null where it is made. */
  typeId: string | null;
  name: string | undefined;
  choices: ImportChoices;
  /** Share of the rows that a commit has written; null before. */
  progress: number | null;
  /** The last of the calls about it, which wait for each other. */
  turn: Promise<unknown>;
  release(): void;
};
type AnyImport = OpenImport | FileImport;

const mebibyte = 1024 * 1024;
/** Characters of the rows, in each of which the names of the fields stand again: of one caller, and of all. */
const maxCharacters = { ofCaller: 128 * mebibyte, all: 256 * mebibyte } as const;
/** Imports of one caller, each of which may plan a decision type. */
const maxOpenOfCaller = 20;
const retryAfterSeconds = 60;

const countRows = (parts: Iterable<ExampleRows>) => [...parts].reduce((sum, { count }) => sum + count, 0);
const listSizes = (each: AnyImport): number[] =>
  'upload' in each
    ? [each.upload.bytes]
    : [...each.parts.values()].flatMap(({ slices }) => slices.map((s) => s.length));
/** Characters of rows in memory, or bytes of a file. */
const countCharacters = (imports: readonly AnyImport[]) =>
  imports.flatMap(listSizes).reduce((sum, size) => sum + size, 0);

/**
 * The imports under way. Of one that is not committed nothing is left after a restart. Where a caller's share is full,
 * the import of theirs that was used longest ago gives way; where all is full, that of the caller with most.
 */
export class Imports {
  readonly #idleMs: number;
  /** Those used longest ago first. */
  readonly #open = new Map<string, { known: AnyImport; timer: NodeJS.Timeout }>();

  /** The last imports of files that were committed, with their callers. */
  readonly #finished = new Map<string, string>();

  constructor(idleMs = 5 * 60_000) {
    this.#idleMs = idleMs;
  }

  add(known: AnyImport): void {
    const timer = setTimeout(() => this.cancel(known), this.#idleMs).unref();
    this.#open.set(known.id, { known, timer });
    this.#makeRoom(known);
  }

  /** Finds an import of the caller and lets it wait again; throws `not_found`. */
  find(caller: Caller, id: string): AnyImport {
    const found = this.#open.get(id);
    if (found === undefined || found.known.callerId !== toCallerId(caller)) {
      const ends =
        'it was committed or cancelled, waited for five minutes, gave way to a later one, or the workbench was restarted';
      throw new WorkbenchError('not_found', `There is no such import: ${ends}. Begin it again.`);
    }
    found.timer.refresh();
    this.#open.delete(id);
    this.#open.set(id, found);
    return found.known;
  }

  /** Keeps a part. Where the import is too large now, or nothing gives way to it, it ends; what is thrown says why. */
  keepPart(known: OpenImport, part: number, rows: ExampleRows): void {
    known.parts.set(part, rows);
    if (countRows(known.parts.values()) > limits.maxExamples || countCharacters([known]) > maxCharacters.ofCaller) {
      this.cancel(known);
      const most = `${limits.maxExamples} examples and ${maxCharacters.ofCaller / mebibyte} MiB with the names of their fields`;
      throw toValidationError([
        {
          type: 'too_many',
          loc: ['body', 'examples'],
          msg: `an import takes ${most}; import the file in several parts`,
        },
      ]);
    }
    this.#makeRoom(known);
  }

  #makeRoom(known: AnyImport): void {
    for (let crowd = this.#findCrowd(known); crowd.length > 0; crowd = this.#findCrowd(known)) {
      const oldest = crowd.find((each) => each !== known && !each.isCommitting);
      this.cancel(oldest ?? known);
      if (oldest === undefined) {
        throw new BusyError(
          'unavailable',
          'Too many imports are under way. Begin it again in a minute.',
          retryAfterSeconds,
        );
      }
    }
  }

  /** The imports of the caller who must make room; empty if there is room. */
  #findCrowd({ callerId }: AnyImport): AnyImport[] {
    const open = [...this.#open.values()].map(({ known }) => known);
    const byCaller = Map.groupBy(open, (each) => each.callerId);
    const own = byCaller.get(callerId) ?? [];
    if (own.length > maxOpenOfCaller || countCharacters(own) > maxCharacters.ofCaller) return own;
    if (countCharacters(open) <= maxCharacters.all) return [];
    return [...byCaller.values()].reduce((most, each) => (countCharacters(each) > countCharacters(most) ? each : most));
  }

  /** Ends an import without any effect, also while it is being committed. */
  cancel(known: AnyImport): void {
    this.drop(known);
    known.cancelling.abort(new WorkbenchError('conflict', 'The import was cancelled.'));
  }

  drop(known: AnyImport): void {
    clearTimeout(this.#open.get(known.id)?.timer);
    this.#open.delete(known.id);
    if ('release' in known) known.release();
  }

  /** Ends an import that counts now. */
  finish(known: FileImport): void {
    this.drop(known);
    this.#finished.set(known.id, known.callerId);
    const [oldest] = this.#finished.keys();
    if (this.#finished.size > maxOpenOfCaller && oldest !== undefined) this.#finished.delete(oldest);
  }

  /** The share that the commit of a file has written: all of it, also for who asks while it ends. */
  findProgress(caller: Caller, id: string): number | null {
    return this.#finished.get(id) === toCallerId(caller) ? 1 : this.findOfFile(caller, id).progress;
  }

  /** Finds an import in parts; throws `not_found`, or `conflict` for one of a file. */
  findInParts(caller: Caller, id: string): OpenImport {
    const known = this.find(caller, id);
    if (!('upload' in known)) return known;
    throw new WorkbenchError('conflict', 'This is the import of a file. Choose by PATCH, and commit it without parts.');
  }

  /** Finds the import of a file; throws `not_found`, or `conflict` for one in parts. */
  findOfFile(caller: Caller, id: string): FileImport {
    const known = this.find(caller, id);
    if ('upload' in known) return known;
    throw new WorkbenchError('conflict', 'This is an import in parts. Send its parts, and name their number.');
  }

  close(): void {
    for (const { known } of this.#open.values()) this.cancel(known);
  }
}

/** Begins an import; throws `validation_error`, `decision_type_not_found`, `conflict` or `quota_exceeded`. */
export async function beginImport(
  deps: Foundation & { imports: Imports },
  caller: Caller,
  request: ImportPlan,
): Promise<OpenImport> {
  const plan =
    request.decision_type_id === undefined
      ? await planNewType(deps, caller, request)
      : await planExtension(deps, caller, request.decision_type_id, request);
  const known: OpenImport = {
    ...plan,
    id: deps.newId(),
    callerId: toCallerId(caller),
    startedAt: deps.clock.now(),
    parts: new Map(),
    isCommitting: false,
    cancelling: new AbortController(),
  };
  deps.imports.add(known);
  return known;
}

/** The type is deleted from its first row to its last: nobody sees it, and what breaks off is cleaned up. */
export async function planNewType(
  deps: Foundation,
  caller: Caller,
  request: ImportPlan,
  id: string = deps.newId(),
): Promise<TypePlan> {
  const { name = '', options, reason_codes, readings, pii_fields } = request;
  const wanted = readPart(decisionTypeCreateSchema, { name, options, reason_codes, readings, pii_fields });
  const definition = await checkNewDecisionType(deps, caller, wanted);
  refuseAnother(deps, caller, name);
  const { decisionTypes } = deps.store;
  return {
    type: toPartType(id, definition),
    begin() {
      insertDecisionType(deps, caller, wanted, definition, id);
      decisionTypes.remove(id, 0);
    },
    end() {
      refuseAnother(deps, caller, name);
      decisionTypes.restore(id);
      return findDecisionType(deps, caller, id);
    },
  };
}

/** Plans the additions of an import to a type; throws `decision_type_not_found`, `validation_error` or `conflict`. */
export async function planExtension(
  deps: Foundation,
  caller: Caller,
  id: string,
  added: ImportPlan,
): Promise<TypePlan> {
  const type = findDecisionType(deps, caller, id);
  const { options, reason_codes, readings } = type.activeVersion.definition;
  const definition = {
    options: [...new Set([...options, ...added.options])],
    reason_codes: [...new Set([...reason_codes, ...added.reason_codes])],
    readings: { ...added.readings, ...readings },
  };
  const isNew = (field: string) => !isPiiField([field], type.piiFields);
  const personal = added.pii_fields.filter(isNew);
  const pii = personal.length > 0 && { pii_fields: [...type.piiFields, ...personal] };
  const change = readPart(decisionTypeUpdateSchema, { ...definition, ...pii });
  const planned = await checkUpdate(deps, caller, id, change);
  return {
    type: toPartType(id, definition),
    begin: (rows) => refuseTooMany(deps, type, rows, ['body', 'parts']),
    end: () => writeUpdate(deps, caller, planned),
  };
}

/** The type as the parts of an import are checked against it: their texts were read with the file. */
const toPartType = (id: string, definition: ExampleType['definition']): ExampleType => ({
  id,
  definition: { ...definition, readings: {} },
});

function readPart<S extends ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = parsePart(schema, value, 'body');
  if (!parsed.ok) throw toValidationError(parsed.problems);
  return parsed.value;
}

/** Takes the parts of an import; throws `conflict` where they are not all there. */
function takeParts({ parts }: OpenImport, count: number): ExampleRows[] {
  const sorted = [...parts].sort(([one], [other]) => one - other);
  if (sorted.length !== count || sorted.at(-1)?.[0] !== count - 1) {
    throw new WorkbenchError('conflict', `The import has ${sorted.length} parts, not the parts 0 to ${count - 1}.`);
  }
  parts.clear();
  return sorted.map(([, rows]) => rows);
}

/** Commits all parts of an import at once, which ends it. Throws `conflict`, and goes on, where one is missing. */
export async function commitImport(
  deps: Foundation & { imports: Imports; exampleAdditions: ExampleAdditions },
  caller: Caller,
  known: OpenImport,
  partCount: number,
  alongside: (committed: Committed) => void,
): Promise<Committed> {
  const parts = takeParts(known, partCount);
  known.isCommitting = true;
  const rows: ExampleRows = {
    decisionTypeId: known.type.id,
    createdAt: known.startedAt,
    count: countRows(parts),
    slices: parts.flatMap(({ slices }) => slices),
  };
  const begin = () => known.begin(rows.count);
  const toCommitted = (type: DecisionTypeRecord) => ({ type, examples: rows.count, ids: null, merge: null });
  const end = () => {
    alongside(toCommitted(known.end()));
    deps.imports.drop(known);
  };
  try {
    await deps.exampleAdditions.add(rows, begin, end, known.cancelling.signal);
    return toCommitted(findDecisionType(deps, caller, known.type.id));
  } finally {
    deps.imports.drop(known);
  }
}
