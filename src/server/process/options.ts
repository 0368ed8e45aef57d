/** Everything that can be set from outside, read once at the start. */
import { homedir } from 'node:os';
import path from 'node:path';
import type { SpawnChild } from './spawn-child.ts';
import { StartError } from './start-error.ts';

/** The data folder that flag or environment name; undefined where neither does. */
export function findNamedFolder(flag: string | undefined, env: NodeJS.ProcessEnv): string | undefined {
  const named = flag ?? env['WORKBENCH_DATA_DIR'];
  return named === undefined ? undefined : path.resolve(named);
}

/** The data folder that flag or environment name, else that of the window. Throws StartError where there is no home. */
export function toDataDir(flag: string | undefined, env: NodeJS.ProcessEnv): string {
  const named = findNamedFolder(flag, env);
  if (named !== undefined) return named;
  try {
    return path.join(homedir(), '.decision-workbench');
  } catch (cause) {
    const message = 'This user has no home folder. Name the data folder by --data-dir or WORKBENCH_DATA_DIR.';
    throw new StartError('options', message, { cause });
  }
}

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const;

/** The receiver of alerts, as the start of the program says; `secret` signs the messages to a webhook. */
export type NamedReceiver = { kind: 'command'; file: string } | { kind: 'webhook'; url: string; secret: string };

export type ServerOptions = {
  dataDir: string;
  host: '127.0.0.1';
  /** A further address of this machine, where calls with an API key are let in, and nothing else; null: none. */
  listen: string | null;
  /** 0 picks a free port. */
  port: number;
  rendererDir: string | null;
  /** The built package `decision-edge`, which has the page that policies are saved as. */
  edgeDir: string;
  resourcesDir: string;
  /** FULL: an answered decision survives a power cut. NORMAL: it survives a killed process. */
  synchronous: 'FULL' | 'NORMAL';
  /** A training without a heartbeat for this long is taken for dead. */
  heartbeatTimeoutMs: number;
  /** A training whose process grows past this is stopped. */
  trainingMemoryMb: number;
  /** A connected model that has not answered after this long is given up. */
  teacherTimeoutMs: number;
  /** Calls with wrong credentials that one address may make in a minute before they are answered with 429. */
  maxWrongCredentialsPerMinute: number;
  /** An upgrade may go on although deployed policies cannot decide after it until they are trained again. */
  acceptsRetraining: boolean;
  /** External OpenID provider, beside the local one. */
  oidc: { issuer: string; audience: string; jwksUrl: string } | null;
  /** null: where the settings say. */
  alerts: NamedReceiver | null;
  /** Less free disk than this is an alert. */
  alertFreeMb: number;
  /** Backups that are made by themselves, one a day, and kept; 0: none. */
  dailyBackups: number;
  logLevel: (typeof logLevels)[number];
  /** Starts child processes; left out: child_process.fork. */
  spawnChild?: SpawnChild;
};
