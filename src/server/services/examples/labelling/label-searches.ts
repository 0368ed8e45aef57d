/** Searches for suspect labels in the background, again when labels grew; gives way to a training of the same type. */

import { nextTurn } from '../../../../door/turns.ts';
import type { AnalysisOrders } from '../../../analysis/analysis-child.ts';
import { toFolderPaths } from '../../../data-folder/folder.ts';
import type { Foundation } from '../../../foundation.ts';
import type { ChildPool } from '../../../process/child-pool.ts';
import { encodingsFolder } from '../../../runtime/encoder/encoding-cache.ts';
import type { DecisionTypeRecord } from '../../../store/types/decision-types.ts';

type Deps = Foundation & { pool: ChildPool<AnalysisOrders>; onEnd(typeId: string): void };

/** Below it, a model says too little of a label. */
const minLabels = 100;
/** A new search is worth its time once there are this many times the labels of the last one. */
const growth = 1.25;
/** Rows that are written or removed between two turns of the event loop. */
const checksPerTurn = 1_000;

export class LabelSearches {
  readonly #deps: Deps;
  /** How many labels each type had when it was last tried: a failed search is not repeated with the same ones. */
  readonly #tried = new Map<string, number>();
  #running: { typeId: string; controller: AbortController } | null = null;
  #isClosed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Begins a search of a type whose labels are looked at, where one is due; never waits for it. */
  look(type: DecisionTypeRecord): void {
    const { store, log } = this.#deps;
    if (this.#running !== null || this.#isClosed) return;
    const { labelled } = store.examples.computeTotals(type.id);
    // The follow-up of the newest training has checked the labels that it learned from, or is doing so.
    const trained = store.policies.byId(store.policies.findNewestTrained(type.id) ?? '');
    const known = Math.max(
      store.trainingRuns.labelChecks.findNewest(type.id)?.labelled ?? 0,
      trained?.snapshotSize ?? 0,
      this.#tried.get(type.id) ?? 0,
    );
    if (labelled < Math.max(minLabels, growth * known) || store.policies.listInProgress().length > 0) return;
    const controller = new AbortController();
    this.#running = { typeId: type.id, controller };
    this.#tried.set(type.id, labelled);
    this.#search(type, labelled, controller.signal)
      .catch((err: unknown) => {
        if (controller.signal.aborted) this.#tried.delete(type.id);
        else log.warn({ err, decisionTypeId: type.id }, 'the labels could not be checked in the background');
      })
      .finally(() => {
        this.#running = null;
        this.#deps.onEnd(type.id);
      });
  }

  /** Ends the search of a type under way, as its training checks the labels as well; it starts over when it is due. */
  giveWay(typeId: string): void {
    if (this.#running?.typeId === typeId) this.#running.controller.abort();
  }

  close(): void {
    this.#isClosed = true;
    this.#running?.controller.abort();
  }

  async #search(type: DecisionTypeRecord, labelled: number, signal: AbortSignal): Promise<void> {
    const { store, options, pool, clock, newId } = this.#deps;
    const { labelChecks } = store.trainingRuns;
    const search = { id: newId(), typeId: type.id, labelled, createdAt: clock.now() };
    const order = {
      databaseFile: toFolderPaths(options.dataDir).database,
      resourcesDir: options.resourcesDir,
      encodingsDir: encodingsFolder(options.dataDir),
      typeId: type.id,
      options: type.activeVersion.definition.options,
      inputSchema: type.activeVersion.definition.input_schema,
      piiFields: type.piiFields,
      readings: type.activeVersion.definition.readings,
      split: store.policies.readNewestSplit(type.id),
    };
    const { checks, expectedWrong } = await pool.run('labels', 'labels', order, { signal });
    labelChecks.add(search, []);
    for (let from = 0; from < checks.length; from += checksPerTurn) {
      labelChecks.add(search, checks.slice(from, from + checksPerTurn));
      await nextTurn();
      signal.throwIfAborted();
    }
    labelChecks.complete(search.id, expectedWrong);
    while (labelChecks.removeOlder(search.id, checksPerTurn) > 0) await nextTurn();
  }
}
