/** A server process that the test kills: it deploys one policy, starts a second training and reports. */
import {
  complaintExamples,
  complaintType,
  createTrainable,
  pollUntil,
  startWorkbench,
  terminal,
} from '../../server/workbench.ts';

const [dataDir] = process.argv.slice(2);
if (!dataDir) throw new Error('the data folder is missing');
const bench = await startWorkbench(dataDir);
const path = await createTrainable(bench, complaintType, complaintExamples(40));
const first = (await bench.call('POST', `${path}/train`, { tune_hyperparams: false })).body.policy_id;
await pollUntil(() => bench.call('GET', `${path}/policies/${first}/progress`), terminal);
const second = (await bench.call('POST', `${path}/train`)).body.policy_id;
await pollUntil(
  () => bench.call('GET', `${path}/policies/${second}/progress`),
  () => bench.deps.store.policies.byId(second)?.snapshotSha256 !== '',
);
const { pid } = bench.deps.store.policies.attempts(second)[0] ?? {};
process.send?.({ path, first, second, pid });
