/** How the service is: its health, and its figures for programs that watch. */

import { statSync } from 'node:fs';
import type { Sample } from '../../../door/service-metrics.ts';
import type { Caller } from '../../auth/caller.ts';
import type { OutputOf } from '../../contract/operations.ts';
import { toFolderPaths } from '../../data-folder/folder.ts';
import type { Foundation } from '../../foundation.ts';
import type { Questions } from '../deciding/questions.ts';
import type { Alerts } from './alerts.ts';
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

const one = (value: number | null): Sample[] => (value === null ? [] : [{ labels: {}, value }]);

/** Writes the metrics as the caller's organisation may see them. Reads no log, no example and no backup. */
export function writeMetrics(deps: Foundation & { questions: Questions; alerts: Alerts }, caller: Caller): string {
  const { options, store, runtime, folderWatch, caretaker, serviceMetrics, alerts } = deps;
  const lastBackup = caretaker.findLastBackup();
  const { entries, record, digest } = store.logs.readHead();
  return serviceMetrics.render(caller.organisationSeq, [
    {
      name: 'decision_workbench_policy_available',
      help: '1 where the deployed policy of a type can be used',
      samples: deps.questions.listAnswering(caller).map(({ id, name }) => {
        const policyId = store.deployments.findId(id);
        const isAvailable = policyId !== null && runtime.deployed.findUnavailability(policyId) === null;
        return { labels: { decision_type: name }, value: Number(isAvailable) };
      }),
    },
    {
      name: 'decision_workbench_decisions_waiting',
      help: 'Decisions that wait for their commit',
      samples: one(runtime.decisions.countPending(caller.organisationSeq)),
    },
    {
      name: 'decision_workbench_training_in_progress',
      help: '1 while a training is in progress, of which there is one at a time',
      samples: one(Number(store.policies.isSlotTaken(caller.organisationId))),
    },
    {
      name: 'decision_workbench_trainings_waiting',
      help: 'Trainings that wait in the queue for the one in progress',
      samples: one(store.policies.countQueued(caller.organisationId)),
    },
    {
      name: 'decision_workbench_store_bytes',
      help: 'Size of the database with its write-ahead log',
      samples: one(readStoreBytes(options.dataDir)),
    },
    {
      name: 'decision_workbench_disk_free_bytes',
      help: 'Free bytes of the disk of the data folder',
      samples: one(folderWatch.isIntact() ? folderWatch.readFreeBytes() : null),
    },
    {
      name: 'decision_workbench_last_backup_timestamp_seconds',
      help: 'Time of the newest backup in the data folder, since 1970; absent where there is none',
      samples: one(lastBackup && Date.parse(lastBackup.manifest.created_at) / 1_000),
    },
    {
      name: 'decision_workbench_log_head',
      help: "1, with the numbers of the log's newest entry and record and their digest: verify --head compares one kept",
      samples: [{ labels: { entries: `${entries}`, record: `${record}`, digest }, value: 1 }],
    },
    {
      name: 'decision_workbench_alert',
      help: '1 while the state lasts; those of one decision type have its name',
      samples: alerts
        .listFiring()
        .filter(({ organisationId }) => organisationId === null || organisationId === caller.organisationId)
        .map(({ kind, decision_type }) => ({ labels: { kind, decision_type: decision_type ?? '' }, value: 1 })),
    },
  ]);
}

function readStoreBytes(dataDir: string): number {
  const { database } = toFolderPaths(dataDir);
  return [database, `${database}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
