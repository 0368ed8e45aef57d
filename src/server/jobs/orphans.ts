/** Trainings that an earlier process of the server left behind: confirmed dead, recorded, their files put aside. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { moveToTrash } from '../data-folder/trash.ts';
import type { PolicyRecord } from '../store/policies/policy-records.ts';
import type { TrainingJobsOptions } from './training-ports.ts';

type OrphanDeps = Pick<TrainingJobsOptions, 'policies' | 'trainingRuns' | 'ports' | 'artifactsDir' | 'trashDir'>;

/** Ends trainings whose process is gone, kills workers that live, and returns how many to look at again. */
export function endOrphans(deps: OrphanDeps, nowMs: number): number {
  // A training that waits has no process yet.
  const begun = deps.policies.listInProgress().filter(({ status }) => status !== 'queued');
  const living = begun.filter((policy) => !endOrphan(deps, policy)).length;
  if (living === 0) removeUnownedFiles(deps, nowMs);
  return living;
}

function endOrphan({ policies, trainingRuns, ports }: OrphanDeps, policy: PolicyRecord): boolean {
  const { id: policyId, status, currentAttemptId } = policy;
  const attempt = policies.attempts(policyId).find(({ id }) => id === currentAttemptId);
  if (attempt?.pid && isWorker(attempt.pid, attempt.id)) {
    if (status === 'training') trainingRuns.setStatus({ policyId, attemptId: attempt.id }, 'stopping');
    process.kill(attempt.pid, 'SIGKILL');
    return false;
  }
  if (status === 'cancelling') ports.endUnfinished({ policyId, attemptId: currentAttemptId }, null);
  else {
    const error = 'The training was interrupted: the workbench was stopped during it.';
    ports.endUnfinished({ policyId, attemptId: currentAttemptId }, error);
  }
  return true;
}

/** A database that knows too little (an older copy) must not cost the policies that it does not know. */
function removeUnownedFiles({ policies, artifactsDir, trashDir }: OrphanDeps, nowMs: number): void {
  if (!existsSync(artifactsDir)) return;
  for (const name of readdirSync(artifactsDir)) {
    const isOwned = name.endsWith('.zip') && policies.hasBundle(name.slice(0, -'.zip'.length));
    if (!isOwned && /\.(zip|attempt|part)$/.test(name)) {
      moveToTrash(join(artifactsDir, name), trashDir, nowMs);
    }
  }
}

/** Process ids are used again: only the one whose command line names the attempt may be killed. */
function isWorker(pid: number, attemptId: string): boolean {
  // On Windows a worker ends with its parent, and nothing tells its command line cheaply.
  if (process.platform === 'win32') return false;
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(attemptId);
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(attemptId);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH');
}
