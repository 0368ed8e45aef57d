/** Model connections of an organisation: made under its limit, removed, tried out. */
import { z } from 'zod';
import { toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Caller } from '../../auth/caller.ts';
import { findAddressProblem } from '../../connections/address.ts';
import { askChat, type Question } from '../../connections/chat-client.ts';
import type { Foundation } from '../../foundation.ts';
import type { ConnectionRecord } from '../../store/account/connections.ts';

type NewConnection = Pick<ConnectionRecord, 'name' | 'url' | 'model' | 'privateNetwork' | 'generates'> & {
  apiKey: string | null;
};

const maxConnections = 20;
const testTimeoutMs = 15_000;
const testQuestion: Question = {
  system: 'Answer with one JSON object and nothing else.',
  user: 'What is 2 + 3? Answer as {"answer": number}.',
  schema: { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] },
  schemaName: 'sum',
  temperature: 0,
  maxTokens: 50,
};
const testAnswerSchema = z.object({ answer: z.number() });

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

/** Asks a connected model a small question; a failure is reported in `message`. Throws `not_found`. */
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
    await askChat(modelConnections.toEndpoint(connection), testQuestion, (value) => testAnswerSchema.parse(value), {
      ...chat,
      timeoutMs: Math.min(testTimeoutMs, chat.timeoutMs),
      retries: 0,
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
