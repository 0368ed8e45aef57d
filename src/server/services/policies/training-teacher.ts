/** The teacher that a training may ask for the examples that are missing. */
import type { Proposal, TeacherRequest } from '../../../engine/training/request.ts';
import { createRemoteTeacher } from '../../connections/remote-teacher.ts';
import type { Foundation } from '../../foundation.ts';
import { chargeCredits } from '../account/connections.ts';
import { readPolicy, readVersion } from './policies.ts';

const tokensPerPrice = 100;

/** Whether the organisation of a policy has a model connection that may write examples. */
export function hasTeacher(deps: Foundation, policyId: string): boolean {
  const { organisationId } = readPolicy(deps.store, policyId);
  return deps.runtime.modelConnections.findForGeneration(organisationId) !== null;
}

/** Asks the teacher, personal fields redacted, and charges while `isWanted`. Rejects with a sentence. */
export async function askTeacher(
  deps: Foundation,
  policyId: string,
  request: TeacherRequest,
  signal: AbortSignal,
  isWanted: () => boolean,
): Promise<Proposal[]> {
  const { store, metering } = deps;
  const { modelConnections } = deps.runtime;
  const policy = readPolicy(store, policyId);
  const { organisationId, decisionTypeId } = policy;
  const connection = modelConnections.findForGeneration(organisationId);
  if (connection === null) throw new Error('The model connection was removed.');
  const { description = '', piiFields = [] } = store.decisionTypes.get(decisionTypeId, organisationId) ?? {};
  const teacher = createRemoteTeacher(
    modelConnections.toEndpoint(connection),
    { definition: readVersion(store, policy).definition, description, examples: request.examples, avoid: [], seed: 0 },
    (input) => deps.auth.redact(input, piiFields),
    { ...modelConnections.chat, signal: AbortSignal.any([signal, modelConnections.chat.signal]) },
  );
  const proposals = await teacher.ask(request.option, request.count);
  await store.writeLock.whenFree();
  if (isWanted() && proposals.length > 0) {
    chargeCredits(deps, {
      organisationSeq: store.accounts.getOrganisation(organisationId).seq,
      operation: 'generation',
      credits: Math.ceil(teacher.tokens(proposals) / tokensPerPrice) * metering.prices.per100Tokens,
      decisionTypeId,
      referenceId: policyId,
    });
  }
  return proposals;
}
