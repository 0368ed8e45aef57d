/** Everything that runs beside the requests: trainings, deployed deciders, the text encoder, the commit queue. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TrainingConfig } from '../../engine/domain.ts';
import type { Proposal, TeacherRequest } from '../../engine/training/request.ts';
import { type ModelConnections, openModelConnections } from '../connections/model-connections.ts';
import { createRemoteTeacher } from '../connections/remote-teacher.ts';
import { createTrainingJobs, type TrainingJobs } from '../jobs/training-jobs.ts';
import type { WorkerOrder } from '../jobs/worker.ts';
import { chargeHosting } from '../metering/hosting.ts';
import type { BaseDeps } from '../operations/context.ts';
import { isoTime } from '../process/clock.ts';
import { spawnChild } from '../process/spawn-child.ts';
import { type CommitQueue, createCommitQueue } from '../store/commit-queue.ts';
import { createDeployed, type Deployed } from './deployed.ts';
import { createEncoderHost, type EncoderHost } from './encoder-host.ts';
import { encodingsFolder } from './encoding-cache.ts';
import { openTextModel, type TextModel } from './text-model.ts';

const heartbeatIntervalMs = 2_000;

export type Runtime = {
  jobs: TrainingJobs;
  deployed: Deployed;
  decisions: CommitQueue;
  encoderHost: EncoderHost;
  textModel: TextModel;
  modelConnections: ModelConnections;
  /** Resolves when trainings left behind are resolved and every deployed policy is compiled. */
  started: Promise<void>;
  /** Compiles what a type decides with after a deployment; takes a policy out of service whose file is unusable. */
  warm(policyId: string): Promise<void>;
  /** For `/ready`. */
  ready(): { cache: boolean; models: boolean; deployed_models: number; text_model: string };
  close(): Promise<void>;
};

/** Makes the runtime. Nothing of it blocks: await `started` before saying that the server is ready. */
export function createRuntime(base: BaseDeps): Runtime {
  const { options, store, clock, log } = base;
  const { policies } = store;
  const artifactsDir = join(options.dataDir, 'artifacts');
  mkdirSync(artifactsDir, { recursive: true, mode: 0o700 });
  const spawn = options.spawnChild ?? spawnChild;
  const textModel = openTextModel(options.resourcesDir);
  const teachers = openModelConnections(store, { dataDir: options.dataDir, timeoutMs: options.teacherTimeoutMs });
  const encoderHost = createEncoderHost({ spawn, model: textModel });
  const deployed = createDeployed({
    artifactsDir,
    textModel,
    encoderHost,
    now: () => clock.monotonic(),
    escalationThresholdOf(policyId) {
      const row = policies.byId(policyId);
      return row ? (JSON.parse(row.training_config) as TrainingConfig).escalation_threshold : null;
    },
  });

  function requestOf(policyId: string): WorkerOrder['request'] {
    const row = policies.byId(policyId);
    const version = row && store.decisionTypes.getVersion(row.decision_type_id, row.version_id);
    if (!row || !version) throw new Error(`policy ${policyId} has no row`);
    return {
      policyId,
      policyVersion: row.version,
      decisionType: row.type_name,
      versionNumber: row.version_number,
      definition: version.definition,
      fallbackOption: row.fallback_option,
      config: JSON.parse(row.training_config) as TrainingConfig,
      toolVersion: base.toolVersion,
      createdAt: isoTime(row.created_at),
      piiFields: store.decisionTypes.get(row.decision_type_id, row.organisation_id)?.piiFields ?? [],
    };
  }

  /** Compiles what decides for a type now. A policy whose file cannot be used is taken out of service. */
  async function warm(policyId: string): Promise<void> {
    const row = policies.byId(policyId);
    const type = row && store.decisionTypes.get(row.decision_type_id, row.organisation_id);
    const policy = type && policies.deployedOf(type.id);
    if (!type || policy?.id !== policyId) return;
    try {
      deployed.get(type, policy);
    } catch (error) {
      log.error({ err: error, policyId }, 'a deployed policy cannot be used and was taken out of service');
      policies.runs.withdraw(policyId, 'The file of the policy is missing or damaged.');
      return;
    }
    chargeHosting(base);
    try {
      await deployed.warm(type, policy);
    } catch (error) {
      // decisions by rule go on; the host starts the encoder again by itself
      log.warn({ err: error, policyId }, 'the text encoder is not ready');
    }
  }

  function organisationOf(policyId: string): string {
    const row = policies.byId(policyId);
    if (!row) throw new Error(`policy ${policyId} has no row`);
    return row.organisation_id;
  }

  /** Asks the organisation's teacher for a training and charges what it used. */
  async function teach(
    policyId: string,
    order: TeacherRequest,
    signal: AbortSignal,
    stillWanted: () => boolean,
  ): Promise<Proposal[]> {
    const organisationId = organisationOf(policyId);
    const connection = teachers.findForGeneration(organisationId);
    if (connection === null) throw new Error('the connection was removed');
    const { definition, piiFields = [] } = requestOf(policyId);
    const typeId = policies.byId(policyId)?.decision_type_id ?? '';
    const description = store.decisionTypes.get(typeId, organisationId)?.description ?? '';
    const material = { definition, description, examples: order.examples, avoid: [], seed: 0 };
    const teacher = createRemoteTeacher(
      teachers.toEndpoint(connection),
      material,
      (input) => base.auth.redact(input, piiFields),
      { ...teachers.chat, signal: AbortSignal.any([signal, teachers.chat.signal]) },
    );
    const proposals = await teacher.ask(order.option, order.count);
    if (stillWanted() && proposals.length > 0) {
      store.credits.insert({
        id: base.newId(),
        organisationSeq: store.accounts.getOrganisation(organisationId).seq,
        operation: 'generation',
        credits: Math.ceil(teacher.tokens(proposals) / 100) * base.metering.prices.per100Tokens,
        decisionTypeId: typeId,
        referenceId: policyId,
        createdAt: clock.now(),
      });
    }
    return proposals;
  }

  const jobs = createTrainingJobs({
    policies,
    spawn,
    clock,
    artifactsDir,
    resourcesDir: options.resourcesDir,
    encodingsDir: encodingsFolder(options.dataDir),
    toolVersion: base.toolVersion,
    heartbeatMs: Math.min(heartbeatIntervalMs, options.heartbeatTimeoutMs / 4),
    deadAfterMs: options.heartbeatTimeoutMs,
    memoryMb: options.trainingMemoryMb,
    log,
    requestOf,
    hasTeacher: (policyId) => teachers.findForGeneration(organisationOf(policyId)) !== null,
    teach,
    selfTest: (bundle) => deployed.selfTest(bundle),
    deployed: (policyId) =>
      void warm(policyId).catch((error) =>
        log.error({ err: error, policyId }, 'a deployed policy could not be prepared'),
      ),
  });

  async function start(): Promise<void> {
    await jobs.resolveOrphans();
    for (const policyId of policies.deployedIds()) await warm(policyId);
  }

  return {
    jobs,
    deployed,
    decisions: createCommitQueue(base.db, base.metering.prices.decision),
    encoderHost,
    textModel,
    modelConnections: teachers,
    started: start(),
    warm,
    ready: () => ({
      cache: deployed.holds(policies.deployedIds()),
      models: encoderHost.state() !== 'restarting',
      deployed_models: policies.deployedIds().length,
      text_model: encoderHost.state(),
    }),
    async close() {
      teachers.close();
      await jobs.close();
      await encoderHost.close();
    },
  };
}
