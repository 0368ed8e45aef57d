/** A server process that a test kills at a chosen moment: it trains when told to, and reports each stage its worker reaches. */
import { spawnChild } from '../../../src/server/process/spawn-child.ts';
import { startWorkbench } from '../../server/workbench.ts';
import { hearReports } from './worker-reports.ts';

/** Test to server. */
export type KillableOrder = { path: string; config: object };
/**
 * Server to test; `store` is the moment in which the worker has finished and the server stores the result, `follow_up`
 * when the worker is heard again after that.
 */
export type KillableReport =
  | { kind: 'ready' }
  | { kind: 'started'; policyId: string }
  | { kind: 'stage'; stage: string; workerPid: number };

const tell = (report: KillableReport) => process.send?.(report);

const [dataDir] = process.argv.slice(2);
if (!dataDir) throw new Error('the data folder is missing');
const bench = await startWorkbench(dataDir, {
  spawnChild(name, options) {
    const child = spawnChild(name, options);
    const workerPid = child.pid;
    if (name === 'worker' && workerPid !== undefined) {
      let isDone = false;
      hearReports(child, (report) => {
        if (isDone) tell({ kind: 'stage', stage: 'follow_up', workerPid });
        else if (report.kind === 'progress') tell({ kind: 'stage', stage: report.stage, workerPid });
        else if (report.kind === 'done') tell({ kind: 'stage', stage: 'store', workerPid });
        isDone ||= report.kind === 'done';
      });
    }
    return child;
  },
});
process.on('message', (order: KillableOrder) => {
  void bench
    .call('POST', `${order.path}/train`, order.config)
    .then(({ body }) => tell({ kind: 'started', policyId: body.policy_id }));
});
tell({ kind: 'ready' });
