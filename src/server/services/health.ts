/** Whether the service can do its work now. */
import type { Caretaker, Integrity } from '../data-folder/caretaker.ts';
import type { FolderWatch } from '../data-folder/watch.ts';
import type { Log } from '../process/log.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Store } from '../store/store.ts';

/** The state of the parts; the rest is left out when the database does not answer. */
export type Health =
  | { isReady: false; database: false }
  | {
      isReady: boolean;
      database: boolean;
      /** Whether the data folder is still the one that was opened. */
      isFolderIntact: boolean;
      /** What the last check of the data found. */
      integrity: Integrity;
      /** Whether the deployed policies are compiled. */
      cache: boolean;
      /** Whether the text encoder answers, or is not needed. */
      models: boolean;
      deployedModels: number;
      textModel: 'idle' | 'ready' | 'restarting';
    };

/** Looks at database, compiled policies and text encoder. Never throws. */
export function checkHealth({
  store,
  runtime,
  folderWatch,
  caretaker,
  log,
}: {
  store: Store;
  runtime: Runtime;
  folderWatch: FolderWatch;
  caretaker: Caretaker;
  log: Log;
}): Health {
  try {
    const database = store.isAnswering();
    const isFolderIntact = folderWatch.isIntact();
    const integrity = caretaker.integrity();
    const policyIds = store.deployments.listIds();
    const cache = runtime.deployed.hasCompiled(policyIds);
    const textModel = runtime.encoderHost.state();
    const models = textModel !== 'restarting';
    return {
      isReady: database && isFolderIntact && integrity !== 'damaged' && cache && models,
      database,
      isFolderIntact,
      integrity,
      cache,
      models,
      deployedModels: policyIds.length,
      textModel,
    };
  } catch (error) {
    log.error({ err: error }, 'the database does not answer');
    return { isReady: false, database: false };
  }
}
