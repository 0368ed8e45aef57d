/** Everything that can be set from outside, read once at the start. */
import type { SpawnChild } from './spawn-child.ts';

export type ServerOptions = {
  dataDir: string;
  host: '127.0.0.1';
  /** 0 picks a free port. */
  port: number;
  /** Folder with the built workbench, or null when it is not served. */
  rendererDir: string | null;
  /** Folder with models/ and samples/. */
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
  /** External OpenID provider, beside the local one. */
  oidc: { issuer: string; audience: string; jwksUrl: string } | null;
  logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug';
  /** Starts child processes; left out: child_process.fork. */
  spawnChild?: SpawnChild;
};
