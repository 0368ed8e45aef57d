/** The real program on a copy of the sample project, trained and deployed. */
import { makeSampleFolder } from '../../server/workbench.ts';
import { type RunningWorkbench, startWorkbenchProcess } from './workbench-process.ts';

/** `stop` of the workbench also removes the copy; `path` is that of the decision type with the id `type`. */
export async function startSample(): Promise<{
  workbench: RunningWorkbench;
  type: string;
  path: string;
  policyId: string;
}> {
  const { dataDir, url, policyId } = await makeSampleFolder();
  const workbench = await startWorkbenchProcess(dataDir);
  return { workbench, type: url.split('/').at(-1) ?? '', path: url, policyId };
}
