/** Putting a policy in charge of the decisions of its type, and giving its bundle away. */
import { readFile } from 'node:fs/promises';
import { type BundleIdentity, identifyBundle, withTextModel } from '../../../engine/bundle/bundle.ts';
import type { Metrics } from '../../../engine/domain.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { WholeDecision } from '../../../engine/measured.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import { sha256 } from '../../process/clock.ts';
import type { BundleFacts, DeployedDeciders, PolicyFile } from '../../runtime/deployed-deciders.ts';
import { type TextModel, toMissingPart } from '../../runtime/encoder/text-model.ts';
import type { PolicyRecord } from '../../store/policies/policy-records.ts';
import type { Store } from '../../store/store.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { chargeHosting } from '../account/hosting.ts';
import { findPolicy, readPolicy, readWithType } from './policies.ts';
import { measurePolicy, type PromiseChecks } from './promises.ts';
import { keepDeclaredPromise } from './type-promises.ts';

type ExportablePolicy = { policy: PolicyFile } & BundleFacts;

/** An exported bundle: its bytes, what it is called, and what tells it from every other. */
type ExportedBundle = { bytes: Uint8Array; fileName: string; identity: BundleIdentity };

/** Characters of the revision in a file's name: enough to tell the revisions of one policy apart. */
const shownRevisionLength = 8;

/** The name of the person or key that calls; null for a person without one in this organisation. */
function nameCaller({ accounts }: Store, { userId, apiKeyId, organisationId }: Caller) {
  const user = userId === null ? null : accounts.getUser(userId);
  const key = accounts.listKeys(organisationId).find(({ id }) => id === apiKeyId);
  return user?.name ?? (key ? `key ${JSON.stringify(key.name)}` : null);
}

/**
 * Deploys a trained policy after its self-test and returns it; it gets its type's promise where it can keep it.
 * `alongside` writes into the transaction. Throws `conflict` (status, self-test) or `unavailable` (file).
 */
export async function deployPolicy(
  deps: Foundation & { promiseChecks: PromiseChecks },
  caller: Caller,
  policy: PolicyRecord,
  reason: string | null,
  alongside?: (deployed: PolicyRecord) => void,
): Promise<PolicyRecord> {
  const { id, status, bundleSha256 } = policy;
  if ((status !== 'trained' && status !== 'deployed') || bundleSha256 === null) {
    throw new WorkbenchError('conflict', `A policy in status ${status} cannot be deployed.`);
  }
  await deps.runtime.deployed.selfTestFile(id, bundleSha256);
  await deps.store.writeLock.whenFree();
  deps.store.transaction(() => {
    deps.store.deployments.deploy(id, { by: nameCaller(deps.store, caller), reason, isAutomatic: false });
    const deployed = readWithType(deps.store, id);
    keepDeclaredPromise(deps, deployed.type, deployed.policy);
    alongside?.(readPolicy(deps.store, id));
  });
  await prepareDeployedPolicy(deps, id);
  return readPolicy(deps.store, id);
}

/**
 * Compiles a deployed policy, charges its hosting and starts the encoder, so that no decide call waits. One that cannot
 * be used stays deployed.
 */
export async function prepareDeployedPolicy(deps: Foundation, policyId: string): Promise<void> {
  const { store, log, runtime } = deps;
  const row = store.policies.byId(policyId);
  const type = row && store.decisionTypes.get(row.decisionTypeId, row.organisationId);
  const policy = type && store.deployments.find(type.id);
  if (!type || policy?.id !== policyId) return runtime.deployed.forget(policyId);
  if (!runtime.deployed.prepare(type, policy)) return;
  chargeHosting(deps);
  try {
    await runtime.deployed.startEncoder(policyId);
  } catch (error) {
    // Decisions by rule go on; the host starts the encoder again by itself.
    log.warn({ err: error, policyId }, 'the text encoder is not ready');
  }
}

/** Tries the deployed policies again that could not be used and whose wait is over. */
export async function retryUnavailablePolicies(deps: Foundation): Promise<void> {
  for (const policyId of deps.runtime.deployed.listDue()) await prepareDeployedPolicy(deps, policyId);
}

/** Prepares every deployed policy, one after the other. */
export async function prepareDeployedPolicies(deps: Foundation): Promise<void> {
  for (const policyId of deps.store.deployments.listIds()) await prepareDeployedPolicy(deps, policyId);
}

/**
 * Finds the policy to export, the deployed one unless named. Throws `forbidden` (plan), `model_not_deployed`,
 * `not_found`, or `conflict` where it was not trained to the end.
 */
export function findExportablePolicy(
  deps: Foundation & { promiseChecks: PromiseChecks },
  caller: Caller,
  type: DecisionTypeRecord,
  policyId: string | undefined = deps.store.deployments.find(type.id)?.id,
): ExportablePolicy {
  deps.metering.checkExport(caller);
  if (policyId === undefined) {
    throw new WorkbenchError('model_not_deployed', 'No policy is deployed for this decision type.');
  }
  const record = findPolicy(deps.store, type, policyId);
  const { id, version, bundleSha256, status } = record;
  if (bundleSha256 === null) throw new WorkbenchError('conflict', `A policy in status ${status} has no bundle.`);
  return {
    policy: { id, version, bundleSha256 },
    metrics: record.metrics && withPresentFigures(record.metrics, measurePolicy(deps, type, record)),
    promise: describePromise(deps, type, record),
  };
}

function describePromise(
  { store, promiseChecks }: Foundation & { promiseChecks: PromiseChecks },
  type: DecisionTypeRecord,
  policy: PolicyRecord,
): BundleFacts['promise'] {
  const declared = store.promises.findDeclared(type.id);
  const standing = promiseChecks.readStanding(type, policy);
  if (declared === null || standing === null || standing.state === 'nothing_promised') return null;
  const { state, sentence } = standing;
  const { target_error, certainty } = declared;
  return { state, target_error, certainty, sentence, madeAt: policy.promise?.made_at ?? null };
}

/** The figures of a policy with those that follow from rules and thresholds as they are now. */
export function withPresentFigures(metrics: Metrics, whole: WholeDecision): Metrics {
  const { share } = whole.escalated;
  return share === null ? metrics : { ...metrics, whole, escalation_estimate: share };
}

/** Packs the bundle that decides as the service does now. Throws `unavailable` for a missing part. */
export async function exportBundle(
  { deployed, textModel }: { deployed: DeployedDeciders; textModel: TextModel },
  type: DecisionTypeRecord,
  { policy, ...facts }: ExportablePolicy,
  isSlim: boolean,
): Promise<ExportedBundle> {
  const slim = await deployed.exportSlim(type, policy, facts);
  const { revision } = identifyBundle(slim, sha256);
  // The revision changes with whatever changes what the bundle decides.
  const name = `${type.name}-v${policy.version}-${revision?.slice(0, shownRevisionLength)}`;
  if (isSlim) return nameBundle(slim, name);
  const read = (path: string, part: Parameters<typeof toMissingPart>[0]) =>
    readFile(path).catch((cause: unknown) => Promise.reject(toMissingPart(part, cause)));
  const [tokenizer, encoder, license] = await Promise.all([
    read(textModel.tokenizerPath, 'tokenizer'),
    read(textModel.encoderPath, 'text encoder'),
    read(textModel.licensePath, "text model's licence"),
  ]);
  return nameBundle(withTextModel(slim, { tokenizer, encoder, license }, sha256), name);
}

/** A slim bundle says in its name that it is one. */
function nameBundle(bytes: Uint8Array, name: string): ExportedBundle {
  const identity = identifyBundle(bytes, sha256);
  return { bytes, fileName: `${name}${identity.isSlim ? '-slim' : ''}.zip`, identity };
}
