/** Trainings that an earlier process of the server left behind: confirmed dead, recorded, their files removed. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PolicyStore } from '../store/policies.ts';

const EXIT_LIMIT_MS = 5_000;
const POLL_MS = 25;

/**
 * Ends every training that is in progress by the database: `cancelled` where a cancel was under way, else `failed`
 * ("interrupted"). A worker that still lives is killed first. Then removes files that belong to no finished policy.
 */
export async function resolveOrphans(policies: PolicyStore, artifactsDir: string): Promise<void> {
  mkdirSync(artifactsDir, { recursive: true, mode: 0o700 });
  for (const policy of policies.unfinished()) {
    const attempt = policies.attempts(policy.id).find(({ id }) => id === policy.current_attempt_id);
    if (attempt?.pid) await confirmGone(attempt.pid);
    const cancelled = policy.status === 'cancelling';
    policies.runs.end(
      policy.id,
      policy.current_attempt_id,
      cancelled ? 'cancelled' : 'failed',
      cancelled ? null : 'interrupted: the workbench was stopped during the training',
    );
  }
  for (const name of readdirSync(artifactsDir)) {
    const kept = name.endsWith('.zip') && policies.keepsBundle(name.slice(0, -'.zip'.length));
    if (!kept && /\.(zip|attempt|part)$/.test(name)) rmSync(join(artifactsDir, name), { force: true });
  }
}

/** A worker ends by itself when its parent is gone; one that does not is killed. */
async function confirmGone(pid: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < EXIT_LIMIT_MS && isWorker(pid); waitedMs += POLL_MS) {
    if (waitedMs === POLL_MS * 8) process.kill(pid, 'SIGKILL');
    await sleep(POLL_MS);
  }
}

/** Process ids are used again: only one whose command line names the worker may be waited for, let alone killed. */
function isWorker(pid: number): boolean {
  try {
    if (process.platform === 'linux') return /worker\.(ts|js)/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
