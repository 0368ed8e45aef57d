import { existsSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import pino, { type Logger } from 'pino';
import { createAuth } from './auth/auth.ts';
import { prepareDataDir } from './auth/secrets.ts';
import { mcpPath, pagesPath } from './contract/paths.ts';
import { buildApp } from './http/app.ts';
import { createMetering } from './metering/metering.ts';
import type { BaseDeps, Deps } from './operations/context.ts';
import { type Clock, createIdSource, sha256, systemClock } from './process/clock.ts';
import { acquireFolderLock } from './process/folder-lock.ts';
import type { ServerOptions } from './process/options.ts';
import { findProgramFolder, toolVersion } from './process/program-folder.ts';
import { StartError } from './process/start-error.ts';
import { createRuntime } from './runtime/runtime.ts';
import { startHousekeeping } from './services/housekeeping.ts';
import { openDatabase, readMigrations } from './store/database.ts';
import { createStore } from './store/store.ts';

export type StartOptions = Partial<ServerOptions> & Pick<ServerOptions, 'dataDir' | 'port' | 'rendererDir'>;

export type Workbench = {
  url: string;
  mcpUrl: string;
  dataDir: string;
  /** A session token for the local owner. */
  issueSession(): Promise<string>;
  /** An address that signs the browser in, once, within ten minutes. */
  loginLink(): Promise<string>;
  close(): Promise<void>;
};

/** Fills the options that were left out. */
export function completeOptions(options: StartOptions): ServerOptions {
  const program = findProgramFolder(import.meta.dirname);
  return {
    host: '127.0.0.1',
    resourcesDir: path.join(program, 'resources'),
    synchronous: 'FULL',
    heartbeatTimeoutMs: 30_000,
    trainingMemoryMb: 2_000,
    teacherTimeoutMs: 60_000,
    oidc: null,
    logLevel: 'info',
    ...options,
    dataDir: path.resolve(options.dataDir),
  };
}

/** Everything below the HTTP listener, on an open data folder. Tests build on it. */
export async function openWorkbench(
  options: ServerOptions,
  clock: Clock,
  log: Logger,
): Promise<{ app: FastifyInstance; deps: Deps; close(): Promise<void> }> {
  prepareDataDir(options.dataDir);
  const migrations = readMigrations(migrationsFolder());
  const db = openDatabase(path.join(options.dataDir, 'workbench.db'), { synchronous: options.synchronous, migrations });
  try {
    const store = createStore(db, clock);
    const newId = createIdSource(clock.now);
    const base: BaseDeps = {
      options,
      db,
      store,
      metering: createMetering(store, clock),
      auth: createAuth(options, store, clock, newId),
      clock,
      newId,
      sha256,
      log,
      toolVersion: toolVersion(findProgramFolder(import.meta.dirname)),
    };
    const runtime = createRuntime(base);
    await runtime.started;
    const deps: Deps = { ...base, runtime };
    const app = await buildApp(deps, log);
    const housekeeping = startHousekeeping(deps);
    return {
      app,
      deps,
      async close() {
        housekeeping.stop();
        await app.close();
        await runtime.close();
        deps.auth.apiKeys.flush();
        db.close();
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function migrationsFolder(): string {
  const places = ['store/migrations', 'migrations', '../migrations', '../../src/server/store/migrations'];
  const found = places.map((place) => path.join(import.meta.dirname, place)).find((folder) => existsSync(folder));
  if (found === undefined) throw new Error('the migrations are missing from this installation');
  return found;
}

/**
 * Starts the whole workbench: takes the data folder, opens the store, recovers, listens. Throws StartError when the
 * folder belongs to a running instance (kind `instance`, with its address), the port is busy (`port`) or the data
 * cannot be opened (`data`).
 */
export async function startWorkbench(given: StartOptions): Promise<Workbench> {
  const options = completeOptions(given);
  // stdout is a machine interface: logs go to stderr
  const log = pino({ level: options.logLevel }, pino.destination({ dest: 2, sync: true }));
  prepareDataDir(options.dataDir);
  const lock = acquireFolderLock(options.dataDir);
  try {
    const opened = await openWorkbench(options, systemClock, log);
    try {
      const url = await listen(opened.app, options);
      lock.announce(url);
      return {
        url,
        mcpUrl: `${url}${mcpPath}`,
        dataDir: options.dataDir,
        issueSession: async () => (await opened.deps.auth.issuer.issue()).token,
        loginLink: async () => `${url}${pagesPath}#login=${opened.deps.auth.makeLoginCode()}`,
        async close() {
          await opened.close();
          lock.release();
        },
      };
    } catch (error) {
      await opened.close();
      throw error;
    }
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function listen(app: FastifyInstance, options: ServerOptions): Promise<string> {
  try {
    await app.listen({ host: options.host, port: options.port });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new StartError('port', `Port ${options.port} is in use by another program. Choose another with --port.`, {
        cause,
      });
    }
    throw cause;
  }
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return `http://${options.host}:${port}`;
}
