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
import { toDataDir } from '../process/options.ts';
import { startWorkbench } from '../start.ts';

/** As `toDataDir`; throws StartError `data` where no workbench was ever started on it. */
export function requireDataDir(flag: string | undefined, env: NodeJS.ProcessEnv): string {
  const dataDir = toDataDir(flag, env);
  requireDataFolder(dataDir);
  return dataDir;
}

/** Works as owner with the workbench of a folder, or a passing one without. Throws StartError. */
export async function withWorkbench<T>(dataDir: string | undefined, work: (client: Client) => Promise<T>): Promise<T> {
  if (dataDir !== undefined) return workIn(dataDir, work);
  const folder = mkdtempSync(path.join(tmpdir(), 'workbench-'));
  try {
    return await workIn(folder, work);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function workIn<T>(dataDir: string, work: (client: Client) => Promise<T>): Promise<T> {
  const running = findRunningAddress(dataDir);
  if (running !== null) return work(await connect(running, dataDir));
  const own = await startWorkbench({ dataDir, port: 0, rendererDir: null, logLevel: 'error' });
  try {
    return await work(await connect(own.url, dataDir));
  } finally {
    await own.close();
  }
}

async function connect(baseUrl: string, dataDir: string): Promise<Client> {
  const { token } = await createIssuer({ dataDir, oidc: null }, systemClock).issue();
  return createClient({
    baseUrl,
    fetch,
    token: () => token,
    newRequestId: randomUUID,
    // The command reports the refusal itself.
    onUnauthorized: () => undefined,
  });
}
