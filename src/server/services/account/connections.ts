/** Model connections, plans, and credits for hosting. */
import { toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Caller } from '../../auth/caller.ts';
import { findAddressProblem } from '../../connections/address.ts';
import { askForDecision } from '../../connections/remote-decider.ts';
import type { PlanName } from '../../contract/account/account.ts';
import type { Foundation } from '../../foundation.ts';
import type { ConnectionRecord } from '../../store/account/connections.ts';
import type { CreditEntry } from '../../store/account/credits.ts';

type NewConnection = Pick<ConnectionRecord, 'name' | 'url' | 'model' | 'privateNetwork' | 'generates'> & {
  apiKey: string | null;
};

const maxConnections = 20;
const testTimeoutMs = 15_000;
/** A case like those that decisions ask about, in the same question. */
const testCase = {
  question: 'connection-test',
  description: 'Whether a sum is right.',
  options: ['right', 'wrong'],
  reason_codes: [],
  input: { sum: '2 + 3 = 5' },
};

/** Connects a model; throws `validation_error` (address) or `conflict` (name taken, too many). */
export function connectModel(deps: Foundation, caller: Caller, connection: NewConnection): ConnectionRecord {
  const { connections } = deps.store;
  const { apiKey, ...fields } = connection;
  const problem = findAddressProblem(fields);
  if (problem !== null) throw toValidationError([toInvalidValue(['body', 'url'], problem)]);
  if (connections.getByName(fields.name, caller.organisationId) !== null) {
    throw new WorkbenchError('conflict', `There is a connection named "${fields.name}" already.`);
  }
  if (connections.list(caller.organisationId).length >= maxConnections) {
    throw new WorkbenchError('conflict', `At most ${maxConnections} connections are kept. Remove one first.`);
  }
  const record: ConnectionRecord = {
    ...fields,
    id: deps.newId(),
    organisationId: caller.organisationId,
    hasApiKey: apiKey !== null,
    createdAt: deps.clock.now(),
  };
  deps.runtime.modelConnections.add(record, apiKey);
  return record;
}

/** Removes a connection and its key; throws `not_found`. */
export function disconnectModel(deps: Foundation, caller: Caller, id: string): void {
  if (!deps.runtime.modelConnections.remove(id, caller.organisationId)) refuseMissingConnection();
}

/** Asks a connected model to decide a small case, as decisions do; `message` says a failure. Throws `not_found`. */
export async function testConnection(
  deps: Foundation,
  caller: Caller,
  id: string,
): Promise<{ ok: boolean; message: string; latencyMs: number }> {
  const connection = deps.store.connections.get(id, caller.organisationId) ?? refuseMissingConnection();
  const { modelConnections } = deps.runtime;
  const { chat } = modelConnections;
  const startedAt = deps.clock.monotonic();
  const measureLatencyMs = () => Math.round(deps.clock.monotonic() - startedAt);
  try {
    const signal = AbortSignal.any([chat.signal, AbortSignal.timeout(testTimeoutMs)]);
    await askForDecision(modelConnections.toEndpoint(connection), testCase, {
      timeoutMs: Math.min(testTimeoutMs, chat.timeoutMs),
      retries: 1,
      signal,
    });
    return { ok: true, message: 'The model answers, in the form that was asked for.', latencyMs: measureLatencyMs() };
  } catch (error) {
    if (!(error instanceof WorkbenchError)) throw error;
    return { ok: false, message: error.message, latencyMs: measureLatencyMs() };
  }
}

function refuseMissingConnection(): never {
  throw new WorkbenchError('not_found', 'The connection does not exist.');
}

/** A charge; a refund has negative credits. */
type Charge = Omit<CreditEntry, 'id' | 'createdAt'> & { createdAt?: number };

/** Writes an entry, at the present time unless it names another. For a transaction of its caller. */
export function chargeCredits(deps: Foundation, charge: Charge): void {
  deps.store.credits.insert({ createdAt: deps.clock.now(), ...charge, id: deps.newId() });
}

/** Puts the caller's organisation on a plan; the present plan again changes nothing. */
export function choosePlan(deps: Foundation, caller: Caller, plan: PlanName): void {
  const { accounts } = deps.store;
  if (accounts.getOrganisation(caller.organisationId).plan === plan) return;
  accounts.setPlan(caller.organisationId, plan, deps.clock.now());
}

const hourMs = 3600 * 1000;

/** Charges each started hour of each deployed policy, while the service runs; returns how many were. */
export function chargeHosting(deps: Foundation): number {
  const { store, clock, metering } = deps;
  return store.transaction(() => {
    const now = clock.now();
    let charged = 0;
    for (const { id, typeId, organisationId } of store.deployments.listHosted()) {
      // An hour charged while the clock was ahead does not stand for those that are still to come.
      const last = store.credits.getLastHosting(id, now + hourMs);
      if (last !== null && now < last + hourMs) continue;
      chargeCredits(deps, {
        organisationSeq: store.accounts.getOrganisation(organisationId).seq,
        operation: 'hosting',
        credits: metering.prices.hostingPerHour,
        decisionTypeId: typeId,
        referenceId: id,
        createdAt: last !== null && now < last + 2 * hourMs ? last + hourMs : now,
      });
      charged += 1;
    }
    return charged;
  });
}
