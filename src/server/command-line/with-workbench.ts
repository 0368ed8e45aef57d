/** The workbench that a command works with: the one that runs on the data folder, or one in this process. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createIssuer } from '../auth/issuer.ts';
import { type Client, createClient } from '../contract/client.ts';
import { requireDataFolder } from '../data-folder/folder.ts';
import { systemClock } from '../process/clock.ts';
import { findRunningAddress } from '../process/folder-lock.ts';
import { logLevels, toDataDir } from '../process/options.ts';
import { startWorkbench } from '../start.ts';
import { CommandError, endCodes } from './command.ts';

/** A call waits for a preparation child and its 60 s at most; what takes longer does not answer any more. */
const maxCallMs = 120_000;
/** A workbench that is well answers `/health` in milliseconds, under load within two seconds. */
const maxHealthMs = 10_000;

/** As `toDataDir`; throws StartError `data` where no workbench was ever started on it. */
export function requireDataDir(flag: string | undefined, env: NodeJS.ProcessEnv): string {
  const dataDir = toDataDir(flag, env);
  requireDataFolder(dataDir);
  return dataDir;
}

/** Works as owner with the workbench of a folder, or a passing one without. Throws StartError. */
export async function withWorkbench<T>(
  dataDir: string | undefined,
  env: NodeJS.ProcessEnv,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  if (dataDir !== undefined) return workIn(dataDir, env, work);
  const folder = mkdtempSync(path.join(tmpdir(), 'workbench-'));
  try {
    return await workIn(folder, env, work);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function workIn<T>(dataDir: string, env: NodeJS.ProcessEnv, work: (client: Client) => Promise<T>): Promise<T> {
  const running = findRunningAddress(dataDir);
  if (running !== null) {
    await requireAnswer(running);
    return work(await connect(running, dataDir));
  }
  // The command itself says what goes wrong.
  const logLevel = logLevels.find((level) => level === env['WORKBENCH_LOG_LEVEL']) ?? 'silent';
  const own = await startWorkbench({ dataDir, port: 0, rendererDir: null, logLevel });
  try {
    return await work(await connect(own.url, dataDir));
  } finally {
    await own.close();
  }
}

/** Refuses to wait for a workbench that has the data folder and does not answer. */
async function requireAnswer(baseUrl: string): Promise<void> {
  try {
    await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(maxHealthMs) });
  } catch (cause) {
    const message = `The workbench at ${baseUrl} has the data folder and does not answer. Let it go on where it was stopped, or end it, and run the command again.`;
    throw new CommandError(endCodes.failed, message, { cause });
  }
}

async function connect(baseUrl: string, dataDir: string): Promise<Client> {
  const { token } = await createIssuer({ dataDir, oidc: null }, systemClock).issue();
  return createClient({
    baseUrl,
    // A stream may go on for longer: it ends by a signal of its own.
    fetch: (input, init) => fetch(input, { ...init, signal: init.signal ?? AbortSignal.timeout(maxCallMs) }),
    token: () => token,
    newRequestId: randomUUID,
    // The command reports the refusal itself.
    onUnauthorized: () => undefined,
  });
}
