import type { OutputOf } from '../../contract/operations.ts';
import type { Foundation } from '../../foundation.ts';
import type { TrustedTime } from './trusted-time.ts';

/** States of several encoders, the one that is reported first where any is in it. */
const textModelStates = ['restarting', 'ready'] as const;

/** Looks at database, compiled policies and text encoder, and says about each how it is. Never throws. */
export function checkHealth(deps: Foundation & { trustedTime: TrustedTime }): OutputOf<'system.ready'> {
  const { options, store, runtime, trustedTime, folderWatch, caretaker, log } = deps;
  try {
    const database = store.isAnswering();
    const data_folder = folderWatch.isIntact();
    const disk = data_folder && folderWatch.isDiskFull() ? 'full' : 'ok';
    const integrity = caretaker.integrity();
    const policyIds = store.deployments.listIds();
    const cache = runtime.deployed.hasCompiled(policyIds);
    const unavailable = policyIds.filter((id) => runtime.deployed.findUnavailability(id) !== null).length;
    const states = new Set(runtime.textModels.map(({ host }) => host.state()));
    const text_model = textModelStates.find((state) => states.has(state)) ?? 'idle';
    const models = text_model !== 'restarting';
    const isSound = database && data_folder && disk === 'ok' && integrity !== 'damaged';
    return {
      status: isSound && cache && models && unavailable === 0 ? 'ready' : 'degraded',
      data_dir: options.dataDir,
      network:
        options.listen === null
          ? 'this machine alone'
          : `also ${options.listen}, with an API key, over HTTP: unencrypted for whoever reads that network`,
      database,
      data_folder,
      disk,
      integrity,
      cache,
      models,
      deployed_models: policyIds.length,
      unavailable_policies: unavailable,
      // Connections whose key must be set again: decisions go on as where their model cannot be reached.
      connections_without_key: runtime.modelConnections.countMissingKeys(),
      text_model,
      // Retention waits while it is in doubt; decisions do not.
      clock: trustedTime.isInDoubt() ? 'in doubt' : 'trusted',
    };
  } catch (error) {
    log.error({ err: error }, 'the database does not answer');
    return { status: 'degraded', database: false };
  }
}
