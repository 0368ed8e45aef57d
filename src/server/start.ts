/** The composition root: the parts of the program, and the order in which they are opened and closed. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import pino, { type Logger } from 'pino';
import { ServiceMetrics } from '../door/service-metrics.ts';
import { type Analyses, Analysis, openAnalysisPool } from './analysis/analysis.ts';
import type { AnalysisOrders } from './analysis/analysis-child.ts';
import { createAuth, serverKeyKind } from './auth/auth.ts';
import { AlertReceiver } from './connections/alert-receiver.ts';
import { openModelConnections } from './connections/model-connections.ts';
import { mcpPath, pagesPath } from './contract/paths.ts';
import { Caretaker } from './data-folder/caretaker.ts';
import { openDataFolder, prepareDataFolder, toFolderPaths, toStartError } from './data-folder/folder.ts';
import { FolderWatch } from './data-folder/watch.ts';
import { EventHub } from './events/event-hub.ts';
import type { Foundation } from './foundation.ts';
import { buildApp } from './http/app.ts';
import { listenOutside } from './http/outside.ts';
import { PendingWrites } from './jobs/pending-writes.ts';
import { TrainingJobs } from './jobs/training-jobs.ts';
import { createMetering } from './metering/metering.ts';
import { creditPrices } from './metering/plans.ts';
import type { Deps } from './operations/context.ts';
import { keepOpenApi } from './preparation/keep-openapi.ts';
import { Preparation } from './preparation/preparation.ts';
import type { ChildPool } from './process/child-pool.ts';
import { type Clock, createIdSource, sha256, systemClock } from './process/clock.ts';
import { acquireFolderLock } from './process/folder-lock.ts';
import { type Log, openLogDestination } from './process/log.ts';
import type { ServerOptions } from './process/options.ts';
import { findProgramFolder, toolVersion } from './process/program-folder.ts';
import { spawnChild } from './process/spawn-child.ts';
import { StartError } from './process/start-error.ts';
import { DeployedDeciders } from './runtime/deployed-deciders.ts';
import { hostTextModel } from './runtime/encoder/encoder-host.ts';
import { encodingsFolder } from './runtime/encoder/encoding-cache.ts';
import { openTextModels } from './runtime/encoder/text-model.ts';
import { LabellingLeases } from './runtime/labelling/labelling-leases.ts';
import { LabellingModels } from './runtime/labelling/labelling-models.ts';
import type { Runtime } from './runtime/runtime.ts';
import { refuseRetraining } from './runtime/upgrade-check.ts';
import { ExplanationTurns } from './services/deciding/explaining.ts';
import { Questions } from './services/deciding/questions.ts';
import { openStoreDoor } from './services/deciding/store-door.ts';
import { ExampleAdditions } from './services/examples/example-additions.ts';
import { ExampleLists } from './services/examples/example-lists.ts';
import { removeLeftUploads } from './services/examples/imports/file-imports.ts';
import { Imports } from './services/examples/imports/imports.ts';
import { LabelSearches } from './services/examples/labelling/label-searches.ts';
import { TeacherLabellings } from './services/examples/labelling/teacher-labelling.ts';
import { prepareDeployedPolicies } from './services/policies/deployment.ts';
import { HeldOutDecisions } from './services/policies/held-out-decisions.ts';
import { tellJob, tellPromise, tellTraining } from './services/policies/job-events.ts';
import { PinnedCases } from './services/policies/pinned-cases.ts';
import { PromiseChecks } from './services/policies/promises.ts';
import { beginWaitingTraining, endUnfinishedTraining, toTrainingRequest } from './services/policies/training.ts';
import { completeReport, completeTraining, completeTuning } from './services/policies/training-completion.ts';
import { askTeacher, hasTeacher } from './services/policies/training-teacher.ts';
import type { KeepDeps } from './services/policies/type-promises.ts';
import { Receipts } from './services/receipts.ts';
import { numberFirstReleases } from './services/releases.ts';
import { Alerts } from './services/upkeep/alerts.ts';
import { startHousekeeping } from './services/upkeep/housekeeping.ts';
import { TrustedTime } from './services/upkeep/trusted-time.ts';
import { readMigrations } from './store/database.ts';
import { createCommitQueue } from './store/deciding/commit-queue.ts';
import { createStore } from './store/store.ts';
import { isCheckedAtStart } from './store/upkeep/folder-identity.ts';

/** Most time that closing takes; the end of the process then closes the rest. */
const maxClosingMs = 4_500;
/** How often a worker sends a heartbeat at least. */
const maxHeartbeatIntervalMs = 2_000;

export type StartOptions = Partial<ServerOptions> & Pick<ServerOptions, 'dataDir' | 'port' | 'rendererDir'>;

export type Workbench = {
  url: string;
  mcpUrl: string;
  /** Where other machines call with an API key; null where nothing but this machine can. */
  outsideUrl: string | null;
  dataDir: string;
  /** A session token for the local owner. */
  issueSession(): Promise<string>;
  /** An address that signs the browser in, once, within ten minutes. */
  loginLink(): Promise<string>;
  log: Log;
  /** Ends the answers under way and closes everything, in at most five seconds; rejects when a part does not. */
  close(): Promise<void>;
};

/** Fills in the default of every option that is not given. */
export function completeOptions(options: StartOptions): ServerOptions {
  const program = findProgramFolder(import.meta.dirname);
  return {
    host: '127.0.0.1',
    listen: null,
    resourcesDir: path.join(program, 'resources'),
    edgeDir: path.join(program, 'out', 'decision-edge'),
    synchronous: 'FULL',
    heartbeatTimeoutMs: 30_000,
    trainingMemoryMb: 2_000,
    teacherTimeoutMs: 60_000,
    maxWrongCredentialsPerMinute: 60,
    acceptsRetraining: false,
    oidc: null,
    alerts: null,
    alertFreeMb: 1_024,
    dailyBackups: 7,
    logLevel: 'info',
    ...options,
    dataDir: path.resolve(options.dataDir),
  };
}

type OpenWorkbench = { app: FastifyInstance; deps: Deps; close(): Promise<void> };

/** Opens everything below the HTTP listener, recovering from an earlier run, or leaves nothing open. */
export async function openWorkbench(options: ServerOptions, clock: Clock, log: Logger): Promise<OpenWorkbench> {
  const closing = new AsyncDisposableStack();
  const open = async (): Promise<OpenWorkbench> => {
    const deps = openDeps(options, clock, log, closing);
    await deps.exampleAdditions.settle();
    await deps.jobs.resolveOrphans();
    numberFirstReleases(deps);
    await prepareDeployedPolicies(deps);
    const app = await buildApp(deps, log);
    closing.defer(() => app.close());
    const housekeeping = startHousekeeping({
      ...deps,
      artifactsDir: toFolderPaths(options.dataDir).artifacts,
      encodingsDir: encodingsFolder(options.dataDir),
      trashDir: toFolderPaths(options.dataDir).trash,
    });
    closing.defer(() => housekeeping.stop());
    return { app, deps, close: () => closing.disposeAsync() };
  };
  try {
    return await openOrClose(closing, open);
  } catch (cause) {
    throw toStartError(options.dataDir, cause);
  }
}

/** Opens the parts that register their closings; where that fails, those so far are closed, and its error is thrown. */
async function openOrClose<T>(closing: AsyncDisposableStack, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    // A further failure while closing must not hide why the start failed.
    await closing.disposeAsync().catch(() => undefined);
    throw error;
  }
}

/** Gives a part that was opened, and closes it before those that were opened earlier. */
const adopt = <Part extends { close(): unknown }>(closing: AsyncDisposableStack, part: Part): Part =>
  closing.adopt(part, async (each) => void (await each.close()));

/** Opens the surroundings of the handlers, lowest layer first, each part with its closing. */
function openDeps(options: ServerOptions, clock: Clock, log: Logger, closing: AsyncDisposableStack): Deps {
  const newId = createIdSource(clock.now);
  prepareDataFolder(options.dataDir);
  const { artifacts, textModels } = toFolderPaths(options.dataDir);
  const db = openDataFolder(options.dataDir, {
    synchronous: options.synchronous,
    migrations: readMigrations(findMigrations()),
    checkUpgrade: (upgraded) => {
      if (!options.acceptsRetraining)
        refuseRetraining(upgraded, artifacts, openTextModels(options.resourcesDir, textModels));
    },
    newId,
    now: clock.now,
  });
  closing.defer(() => void db.close());
  const folderWatch = adopt(closing, new FolderWatch(options.dataDir, log));
  const version = toolVersion(findProgramFolder(import.meta.dirname));
  const caretaker = openCaretaker(options, version, clock, log, closing);
  const store = createStore(db, clock);
  const serverKey = path.join(toFolderPaths(options.dataDir).secrets, serverKeyKind.name);
  if (store.accounts.hasKeys() && !existsSync(serverKey)) {
    log.warn({ path: serverKey }, 'a secret was missing and is made again: no earlier API key is valid, make new ones');
  }
  const auth = createAuth(options, store, clock, newId);
  closing.defer(() => auth.apiKeys.flush());
  const metering = createMetering(store, clock);
  const preparation = adopt(closing, new Preparation(options.spawnChild ?? spawnChild));
  const runtime = openRuntime({ options, db, store, clock, log, preparation }, closing);
  const events = adopt(closing, new EventHub(clock.monotonic));
  const foundation: Foundation = {
    options,
    toolVersion: version,
    openApi: keepOpenApi(preparation, version),
    clock,
    log,
    newId,
    sha256,
    db,
    store,
    folderWatch,
    caretaker,
    auth,
    metering,
    events,
    runtime,
    preparation,
    pendingWrites: new PendingWrites(log),
    serviceMetrics: new ServiceMetrics(),
  };
  return openServices(foundation, closing);
}

/** Opens the state that services keep between calls, and their background work. */
function openServices(foundation: Foundation, closing: AsyncDisposableStack): Deps {
  const { options, store } = foundation;
  removeLeftUploads(options.dataDir);
  const imports = adopt(closing, new Imports());
  const heldOutDecisions = new HeldOutDecisions(foundation);
  const promiseChecks = new PromiseChecks({ ...foundation, heldOutDecisions });
  const pinnedCases = new PinnedCases(foundation);
  const teacherLabellings = adopt(closing, new TeacherLabellings(foundation));
  const analysisPool = adopt(closing, openAnalysisPool(options.spawnChild ?? spawnChild));
  const onEnd = (typeId: string) => tellJob(foundation, 'labels', typeId, true);
  const labelSearches = adopt(closing, new LabelSearches({ ...foundation, pool: analysisPool, onEnd }));
  const analyses = openAnalyses(foundation, analysisPool);
  const questions = new Questions(foundation);
  const alertReceiver = new AlertReceiver(options, foundation.clock.now);
  const alerts = adopt(closing, new Alerts({ ...foundation, analyses, promiseChecks, alertReceiver }));
  return {
    ...foundation,
    alertReceiver,
    alerts,
    jobs: openJobs({ ...foundation, labelSearches, heldOutDecisions, promiseChecks, pinnedCases }, closing),
    analyses,
    trustedTime: new TrustedTime(foundation),
    promiseChecks,
    heldOutDecisions,
    pinnedCases,
    labelSearches,
    exampleAdditions: new ExampleAdditions(foundation),
    exampleLists: new ExampleLists(store),
    imports,
    explanationTurns: new ExplanationTurns(),
    teacherLabellings,
    receipts: new Receipts(foundation),
    questions,
    ...openStoreDoor(foundation, questions),
  };
}

function openAnalyses(deps: Foundation, pool: ChildPool<AnalysisOrders>): Analyses {
  const { clock, log } = deps;
  const open = <Name extends keyof AnalysisOrders>(name: Name) =>
    new Analysis(name, {
      ...{ pool, clock, log },
      onProgress: (typeId, isEnded) => tellJob(deps, name, typeId, isEnded),
    });
  return { findings: open('findings'), slices: open('slices'), drift: open('drift') };
}

function openCaretaker(
  { dataDir, dailyBackups, spawnChild: spawn = spawnChild }: ServerOptions,
  version: string,
  clock: Clock,
  log: Logger,
  closing: AsyncDisposableStack,
): Caretaker {
  const isChecked = isCheckedAtStart(toFolderPaths(dataDir).database);
  return adopt(closing, new Caretaker({ dataDir, dailyBackups, toolVersion: version, spawn, clock, log, isChecked }));
}

function openRuntime(
  deps: Pick<Foundation, 'options' | 'db' | 'store' | 'clock' | 'preparation'> & { log: Logger },
  closing: AsyncDisposableStack,
): Runtime {
  const { options, db, store, clock, log, preparation } = deps;
  const { textModels: ownDir } = toFolderPaths(options.dataDir);
  const textModels = openTextModels(options.resourcesDir, ownDir).map((model) => hostTextModel(options, model));
  closing.defer(async () => void (await Promise.all(textModels.map(({ host }) => host.close()))));
  const [english] = textModels;
  if (english === undefined) throw new Error('There is no text model.');
  const { model: textModel, host: encoderHost } = english;
  const { dataDir, teacherTimeoutMs: timeoutMs } = options;
  const modelConnections = adopt(closing, openModelConnections(store, { dataDir, timeoutMs, now: clock.now }));
  const labellingModels = new LabellingModels({
    spawn: options.spawnChild ?? spawnChild,
    textModels,
    examples: store.examples,
    feed: store.labelling,
    resourcesDir: options.resourcesDir,
    encodingsDir: encodingsFolder(options.dataDir),
    now: () => clock.monotonic(),
  });
  closing.defer(() => labellingModels.close());
  const deployed = new DeployedDeciders({
    artifactsDir: toFolderPaths(options.dataDir).artifacts,
    textModels,
    now: () => clock.monotonic(),
    // Checks by the workbench itself, or for an explanation, count as one caller.
    checkElsewhere: (order, callerId = 'inputs') => preparation.run(callerId, 'checkInput', order),
    findEscalationThreshold: (policyId) => store.policies.byId(policyId)?.trainingConfig.escalation_threshold ?? null,
    findVersion: (typeId, versionId) => store.decisionTypes.getVersion(typeId, versionId),
    onAvailability(policyId, error) {
      if (error === null) log.info({ policyId }, 'a deployed policy can be used again');
      else
        log.error({ err: error, policyId }, 'a deployed policy cannot be used; it stays deployed and is tried again');
    },
  });
  return {
    deployed,
    decisions: createCommitQueue(db, creditPrices.decision, store.writeLock),
    encoderHost,
    textModel,
    textModels,
    addedTextModel: null,
    modelConnections,
    labellingModels,
    leases: new LabellingLeases(() => clock.monotonic()),
  };
}

/** Starts the runner of trainings and passes it the services that a training needs. */
function openJobs(
  deps: KeepDeps & { pinnedCases: PinnedCases; labelSearches: LabelSearches },
  closing: AsyncDisposableStack,
): TrainingJobs {
  const { options, store, clock, log } = deps;
  const { artifacts: artifactsDir, trash: trashDir } = toFolderPaths(options.dataDir);
  const jobs = new TrainingJobs({
    policies: store.policies,
    trainingRuns: store.trainingRuns,
    pendingWrites: deps.pendingWrites,
    ports: {
      beginWaiting: () => beginWaitingTraining({ ...deps, jobs }),
      toRequest: (policyId) => toTrainingRequest(store, deps.toolVersion, policyId),
      hasTeacher: (policyId) => hasTeacher(deps, policyId),
      askTeacher: (...question) => askTeacher(deps, ...question),
      endUnfinished: (training, error) => endUnfinishedTraining(deps, training, error),
      complete: async (finished, isWanted) => {
        const outcome = await completeTraining({ ...deps, artifactsDir }, finished, isWanted);
        if (outcome === 'stored') tellPromise(deps, finished.policyId);
        return outcome;
      },
      completeReport: (attempt, metrics) => {
        if (completeReport(deps, attempt, metrics)) tellPromise(deps, attempt.policyId);
      },
      completeTuning: async (finished, isWanted) => {
        const outcome = await completeTuning({ ...deps, artifactsDir }, finished, isWanted);
        if (outcome === 'stored') tellPromise(deps, finished.next.policyId);
      },
    },
    onProgress: (policyId, isEnded) => {
      const typeId = isEnded ? null : store.policies.byId(policyId)?.decisionTypeId;
      if (typeId) deps.labelSearches.giveWay(typeId);
      tellTraining(deps, policyId, isEnded);
    },
    spawn: options.spawnChild ?? spawnChild,
    clock,
    artifactsDir,
    trashDir,
    resourcesDir: options.resourcesDir,
    ownTextModelsDir: toFolderPaths(options.dataDir).textModels,
    encodingsDir: encodingsFolder(options.dataDir),
    heartbeatMs: Math.min(maxHeartbeatIntervalMs, options.heartbeatTimeoutMs / 4),
    heartbeatTimeoutMs: options.heartbeatTimeoutMs,
    maxMemoryMb: options.trainingMemoryMb,
    log,
  });
  closing.defer(() => jobs.close());
  return jobs;
}

function findMigrations(): string {
  const places = ['store/migrations', 'migrations', '../migrations', '../../src/server/store/migrations'];
  const found = places.map((place) => path.join(import.meta.dirname, place)).find((folder) => existsSync(folder));
  if (found === undefined) throw new Error('The migrations are missing from this installation.');
  return found;
}

/**
 * Starts the whole workbench. Throws StartError `instance`, with the address, `port`, `options` (others are to be let
 * in without a key) or `data`; nothing is left running then.
 */
export async function startWorkbench(startOptions: StartOptions): Promise<Workbench> {
  const options = completeOptions(startOptions);
  // The standard output is a machine interface: logs go to the standard error.
  const log = pino({ level: options.logLevel }, openLogDestination(systemClock.now));
  prepareDataFolder(options.dataDir);
  const closing = new AsyncDisposableStack();
  const open = async () => {
    const lock = acquireFolderLock(options.dataDir);
    closing.defer(() => lock.release());
    const { app, deps, close } = await openWorkbench(options, systemClock, log);
    closing.defer(close);
    const url = await listen(app, options);
    const outsideUrl = options.listen === null ? null : await openOutside(app, options.listen, deps.store, closing);
    lock.announce(url);
    return {
      url,
      mcpUrl: `${url}${mcpPath}`,
      outsideUrl,
      dataDir: options.dataDir,
      issueSession: async () => (await deps.auth.issuer.issue()).token,
      loginLink: async () => `${url}${pagesPath}#login=${deps.auth.makeLoginCode()}`,
      log,
      close: () => closeInTime(closing),
    };
  };
  try {
    return await openOrClose(closing, open);
  } catch (cause) {
    throw toStartError(options.dataDir, cause);
  }
}

async function closeInTime(closing: AsyncDisposableStack): Promise<void> {
  const giveUp = new AbortController();
  const tooLate = wait(maxClosingMs, undefined, { signal: giveUp.signal }).then(() => {
    throw new Error(`A part of the program did not close within ${maxClosingMs / 1_000} s.`);
  });
  try {
    await Promise.race([closing.disposeAsync(), tooLate]);
  } finally {
    giveUp.abort();
    // The losing timer rejects as well.
    await tooLate.catch(() => undefined);
  }
}

/** Lets calls in at a further address, on the same port; gives its URL. Throws StartError while there is no API key. */
async function openOutside(
  app: FastifyInstance,
  host: string,
  store: Pick<Deps['store'], 'accounts'>,
  closing: AsyncDisposableStack,
): Promise<string> {
  if (!store.accounts.hasKeys()) {
    throw new StartError(
      'options',
      'Option --listen lets other machines in by API keys alone, and there is none yet. Start without it, make a key under Settings, and start again.',
    );
  }
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    const outside = await listenOutside(app.server, host, port);
    closing.defer(() => void outside.close());
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const problem = code === 'EADDRINUSE' ? `has port ${port} in use` : 'is no address of this machine';
    throw new StartError('options', `${host} ${problem} (--listen).`, { cause });
  }
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
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
