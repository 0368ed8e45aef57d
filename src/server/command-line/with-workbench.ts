/** The workbench that a command works with, and its decision types and policies by the names people give them. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createIssuer } from '../auth/issuer.ts';
import { type Client, createClient } from '../contract/client.ts';
import type { PolicySummary } from '../contract/policies/training.ts';
import type { DecisionType } from '../contract/types/decision-types.ts';
import { requireDataFolder } from '../data-folder/folder.ts';
import { systemClock } from '../process/clock.ts';
import { findRunningAddress } from '../process/folder-lock.ts';
import { logLevels, toDataDir } from '../process/options.ts';
import { startWorkbench } from '../start.ts';
import { CommandError, endCodes, refuse } from './command.ts';

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

const pageSize = 100;

/** All decision types, page by page. */
export async function listTypes(client: Client): Promise<DecisionType[]> {
  const found: DecisionType[] = [];
  for (let page = 1; ; page += 1) {
    const { items, pages } = await client.call('decision_types.list', { query: { page, page_size: pageSize } });
    found.push(...items);
    if (page >= pages) return found;
  }
}

/** Finds the decision type of a name or, where none is given, the only one there is. */
export async function findType(client: Client, name: string | undefined): Promise<DecisionType> {
  const types = await listTypes(client);
  const [found, another] = name === undefined ? types : types.filter((type) => type.name === name);
  if (found !== undefined && another === undefined) return found;
  const names = types.length === 0 ? 'there is none yet' : types.map((type) => type.name).join(', ');
  const lack = name === undefined ? 'Name the decision type by --type' : `There is no decision type "${name}"`;
  throw refuse(`${lack}: ${names}.`);
}

/** Finds a policy of a type by its version (`3`, `v3`) or id or, where neither is given, the deployed one. */
export async function findPolicy(
  client: Client,
  type: DecisionType,
  wanted: string | undefined,
): Promise<PolicySummary> {
  const policies = await client.call('policies.list', { params: { decision_type_id: type.id } });
  const found = policies.find(({ id, version, deployed }) =>
    wanted === undefined ? deployed : id === wanted || [`${version}`, `v${version}`].includes(wanted),
  );
  if (found !== undefined) return found;
  const lack = wanted === undefined ? 'no deployed policy' : `no policy ${wanted}`;
  const versions = policies.length === 0 ? 'It has none yet; train one' : 'Name one of these by --policy';
  throw refuse(
    `The decision type ${type.name} has ${lack}. ${versions}: ${policies.map(({ version }) => `v${version}`).join(', ')}`.replace(
      /: $/,
      '.',
    ),
  );
}
