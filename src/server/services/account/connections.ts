/** Model connections of an organisation: made under its limit, removed, tried out. */
import { toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Caller } from '../../auth/caller.ts';
import { findAddressProblem } from '../../connections/address.ts';
import { askForDecision } from '../../connections/remote-decider.ts';
import type { Foundation } from '../../foundation.ts';
import type { ConnectionRecord } from '../../store/account/connections.ts';

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
