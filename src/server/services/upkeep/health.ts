/** Whether the service can do its work now. */
import type { Caretaker, Integrity } from '../../data-folder/caretaker.ts';
import type { FolderWatch } from '../../data-folder/watch.ts';
import type { Log } from '../../process/log.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Store } from '../../store/store.ts';
import type { TrustedTime } from './trusted-time.ts';

type HealthDeps = {
  store: Store;
  runtime: Runtime;
  trustedTime: TrustedTime;
  folderWatch: FolderWatch;
  caretaker: Caretaker;
  log: Log;
};

/** The state of the parts; the rest is left out when the database does not answer. */
export type Health =
  | { isReady: false; database: false }
  | {
      isReady: boolean;
      database: boolean;
      /** Whether the data folder is still the one that was opened. */
      isFolderIntact: boolean;
      isDiskFull: boolean;
      /** What the last check of the data found. */
      integrity: Integrity;
      /** Whether the deployed policies are compiled. */
      cache: boolean;
      /** Whether the text encoder answers, or is not needed. */
      models: boolean;
      deployedModels: number;
      /** Of these, how many cannot be used now. */
      unavailablePolicies: number;
      /** Connections whose key must be set anew; decisions go on as where their model cannot be reached. */
      connectionsWithoutKey: number;
      textModel: 'idle' | 'ready' | 'restarting';
      /** Retention waits while the clock is in doubt; decisions do not. */
      clock: 'trusted' | 'in doubt';
    };

/** Looks at database, compiled policies and text encoder. Never throws. */
export function checkHealth({ store, runtime, trustedTime, folderWatch, caretaker, log }: HealthDeps): Health {
  try {
    const database = store.isAnswering();
    const isFolderIntact = folderWatch.isIntact();
    const isDiskFull = isFolderIntact && folderWatch.isDiskFull();
    const integrity = caretaker.integrity();
    const policyIds = store.deployments.listIds();
    const cache = runtime.deployed.hasCompiled(policyIds);
    const unavailablePolicies = policyIds.filter((id) => runtime.deployed.findUnavailability(id) !== null).length;
    const textModel = runtime.encoderHost.state();
    const models = textModel !== 'restarting';
    return {
      isReady:
        database &&
        isFolderIntact &&
        !isDiskFull &&
        integrity !== 'damaged' &&
        cache &&
        models &&
        unavailablePolicies === 0,
      database,
      isFolderIntact,
      isDiskFull,
      integrity,
      cache,
      models,
      deployedModels: policyIds.length,
      unavailablePolicies,
      connectionsWithoutKey: runtime.modelConnections.countMissingKeys(),
      textModel,
      clock: trustedTime.isInDoubt() ? 'in doubt' : 'trusted',
    };
  } catch (error) {
    log.error({ err: error }, 'the database does not answer');
    return { isReady: false, database: false };
  }
}
