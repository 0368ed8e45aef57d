/** Trainings that an earlier process of the server left behind: confirmed dead, recorded, their files removed. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PolicyRow, PolicyStore } from '../store/policies.ts';

/**
 * Ends every training that is in progress by the database and whose process is confirmed gone: `cancelled` where a
 * cancel was under way, else `failed` ("interrupted"). A worker that still lives is killed and its training held in
 * `stopping`; ask again until the answer, the number of such trainings, is 0. Then the files that belong to no finished
 * policy are removed.
 */
export function resolveOrphans(policies: PolicyStore, artifactsDir: string): number {
  const living = policies.unfinished().filter((policy) => !resolve(policies, policy)).length;
  if (living > 0) return living;
  mkdirSync(artifactsDir, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(artifactsDir)) {
    const kept = name.endsWith('.zip') && policies.keepsBundle(name.slice(0, -'.zip'.length));
    if (!kept && /\.(zip|attempt|part)$/.test(name)) rmSync(join(artifactsDir, name), { force: true });
  }
  return 0;
}

/** True when the training has ended. */
function resolve(policies: PolicyStore, policy: PolicyRow): boolean {
  const { id, status, current_attempt_id: attemptId } = policy;
  const attempt = policies.attempts(id).find((each) => each.id === attemptId);
  if (attempt?.pid && isWorker(attempt.pid, attempt.id)) {
    if (status === 'training') policies.runs.mark(id, attempt.id, 'stopping');
    process.kill(attempt.pid, 'SIGKILL');
    return false;
  }
  if (status === 'cancelling') policies.runs.end(id, attemptId, 'cancelled', null);
  else policies.runs.end(id, attemptId, 'failed', 'interrupted: the workbench was stopped during the training');
  return true;
}

/** Process ids are used again: only the one whose command line names the attempt may be killed. */
function isWorker(pid: number, attemptId: string): boolean {
  // on Windows a worker ends with its parent, and nothing tells its command line cheaply
  if (process.platform === 'win32') return false;
  if (process.platform !== 'linux') {
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(attemptId);
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(attemptId);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return false;
    throw error;
  }
}
