/** Imports under way: begun, and committed at once or never. */
import { BusyError } from '../../../../door/errors/busy-error.ts';
import { readPart } from '../../../../door/errors/parse-part.ts';
import { WorkbenchError } from '../../../../engine/errors.ts';
import type { ImportChoices } from '../../../../engine/import/planning/import-choices.ts';
import { type Caller, toCallerId } from '../../../auth/caller.ts';
import type { ImportPlan } from '../../../contract/examples/import-plan.ts';
import { decisionTypeCreateSchema } from '../../../contract/types/decision-types.ts';
import type { Foundation } from '../../../foundation.ts';
import type { SpilledForm } from '../../../preparation/spilled-form.ts';
import type { DecisionTypeRecord } from '../../../store/types/decision-types.ts';
import { refuseTooMany } from '../../example-limit.ts';
import {
  type BroughtNames,
  checkNewDecisionType,
  checkUpdate,
  findDecisionType,
  insertDecisionType,
  refuseAnother,
  toAdditions,
  writeUpdate,
} from '../../types/decision-types.ts';

export type Committed = {
  type: DecisionTypeRecord;
  examples: number;
  ids: string[];
  merge: ImportPlan['merge'];
};

/** Names that an import adds to a decision type, or makes it of. */
type Names = BroughtNames & { name?: string | undefined };
/** Changes to the decision type: `begin` writes before the first rows, `end` with the last ones. */
type TypePlan = { begin(rows: number): void; end(): DecisionTypeRecord };
/** An import of a file, which lies in the data folder until it ends. */
export type FileImport = {
  id: string;
  callerId: string;
  startedAt: number;
  isCommitting: boolean;
  cancelling: AbortController;
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
const mebibyte = 1024 * 1024;
/** Bytes of the files of one caller, and of all. */
const maxBytes = { ofCaller: 128 * mebibyte, all: 256 * mebibyte } as const;
/** Imports of one caller. */
const maxOpenOfCaller = 20;
const retryAfterSeconds = 60;

const countBytes = (imports: readonly FileImport[]) => imports.reduce((sum, { upload }) => sum + upload.bytes, 0);

function toMissing(): WorkbenchError {
  const ends =
    'it was committed or cancelled, waited for five minutes, gave way to a later one, or the workbench was restarted';
  return new WorkbenchError('not_found', `There is no such import: ${ends}. Begin it again.`);
}

/**
 * The imports under way. Of one that is not committed nothing is left after a restart. Where a caller's share is full,
 * the import of theirs that was used longest ago gives way; where all is full, that of the caller with most.
 */
export class Imports {
  readonly #idleMs: number;
  /** Those used longest ago first. */
  readonly #open = new Map<string, { known: FileImport; timer: NodeJS.Timeout }>();

  /** The last imports of files that were committed, with their callers. */
  readonly #finished = new Map<string, string>();

  constructor(idleMs = 5 * 60_000) {
    this.#idleMs = idleMs;
  }

  add(known: FileImport): void {
    const timer = setTimeout(() => this.cancel(known), this.#idleMs).unref();
    this.#open.set(known.id, { known, timer });
    this.#makeRoom(known);
  }

  /** Finds an import of the caller and lets it wait again; throws `not_found`. */
  find(caller: Caller, id: string): FileImport {
    const found = this.#open.get(id);
    if (found === undefined || found.known.callerId !== toCallerId(caller)) {
      throw toMissing();
    }
    found.timer.refresh();
    this.#open.delete(id);
    this.#open.set(id, found);
    return found.known;
  }

  #makeRoom(known: FileImport): void {
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
  #findCrowd({ callerId }: FileImport): FileImport[] {
    const open = [...this.#open.values()].map(({ known }) => known);
    const byCaller = Map.groupBy(open, (each) => each.callerId);
    const own = byCaller.get(callerId) ?? [];
    if (own.length > maxOpenOfCaller || countBytes(own) > maxBytes.ofCaller) return own;
    if (countBytes(open) <= maxBytes.all) return [];
    return [...byCaller.values()].reduce((most, each) => (countBytes(each) > countBytes(most) ? each : most));
  }

  /** Ends an import without any effect, also while it is being committed. */
  cancel(known: FileImport): void {
    this.drop(known);
    known.cancelling.abort(new WorkbenchError('conflict', 'The import was cancelled.'));
  }

  drop(known: FileImport): void {
    clearTimeout(this.#open.get(known.id)?.timer);
    this.#open.delete(known.id);
    known.release();
  }

  /** Ends an import that counts now; calls about it that wait for their turn are refused with `not_found`. */
  finish(known: FileImport): void {
    this.drop(known);
    known.cancelling.abort(toMissing());
    this.#finished.set(known.id, known.callerId);
    const [oldest] = this.#finished.keys();
    if (this.#finished.size > maxOpenOfCaller && oldest !== undefined) this.#finished.delete(oldest);
  }

  /** The share that the commit of a file has written: all of it, also for who asks while it ends. */
  findProgress(caller: Caller, id: string): number | null {
    return this.#finished.get(id) === toCallerId(caller) ? 1 : this.find(caller, id).progress;
  }

  close(): void {
    for (const { known } of this.#open.values()) this.cancel(known);
  }
}

/** The type is deleted from its first row to its last: nobody sees it, and what breaks off is cleaned up. */
export async function planNewType(deps: Foundation, caller: Caller, request: Names, id: string): Promise<TypePlan> {
  const { name = '', options, reason_codes, readings, pii_fields } = request;
  const wanted = readPart(decisionTypeCreateSchema, { name, options, reason_codes, readings, pii_fields });
  const definition = await checkNewDecisionType(deps, caller, wanted);
  refuseAnother(deps, caller, name);
  const { decisionTypes } = deps.store;
  return {
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
export async function planExtension(deps: Foundation, caller: Caller, id: string, added: Names): Promise<TypePlan> {
  const type = findDecisionType(deps, caller, id);
  const planned = await checkUpdate(deps, caller, id, toAdditions(type, added));
  return {
    begin: (rows) => refuseTooMany(deps, type, rows, ['body']),
    end: () => writeUpdate(deps, caller, planned),
  };
}
