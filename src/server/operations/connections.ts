/** Connections to teacher models: made, listed without their keys, tried out, removed. */
import { z } from 'zod';
import { WorkbenchError } from '../../engine/errors.ts';
import { refuseAddress } from '../connections/address.ts';
import { askChat } from '../connections/chat-client.ts';
import type { Connection } from '../contract/connections.ts';
import { isoTime } from '../process/clock.ts';
import type { ConnectionRow } from '../store/connections.ts';
import type { Handlers } from './context.ts';

const maxConnections = 20;
const testTimeoutMs = 15_000;

const connectionOf = (row: ConnectionRow): Connection => ({
  id: row.id,
  name: row.name,
  url: row.url,
  model: row.model,
  has_api_key: row.has_api_key === 1,
  private_network: row.private_network === 1,
  generates: row.generates === 1,
  created_at: isoTime(row.created_at),
});

const testAnswer = z.object({ answer: z.number() });

export const connectionHandlers = {
  'connections.list': (deps, { caller }) => deps.store.connections.list(caller.organisationId).map(connectionOf),

  'connections.create'(deps, { caller, body }) {
    const { connections } = deps.store;
    const refused = refuseAddress({ url: body.url, privateNetwork: body.private_network });
    if (refused !== null) {
      throw new WorkbenchError('validation_error', 'Request validation failed', [
        { type: 'invalid_value', loc: ['body', 'url'], msg: refused },
      ]);
    }
    if (connections.byName(body.name, caller.organisationId) !== null) {
      throw new WorkbenchError('conflict', `There is a connection named "${body.name}" already.`);
    }
    if (connections.list(caller.organisationId).length >= maxConnections) {
      throw new WorkbenchError('conflict', `At most ${maxConnections} connections are kept; remove one first.`);
    }
    const row: ConnectionRow = {
      id: deps.newId(),
      organisation_id: caller.organisationId,
      name: body.name,
      url: body.url,
      model: body.model,
      has_api_key: body.api_key === undefined ? 0 : 1,
      private_network: body.private_network ? 1 : 0,
      generates: body.generates ? 1 : 0,
      created_at: deps.clock.now(),
    };
    deps.runtime.modelConnections.add(row, body.api_key ?? null);
    return connectionOf(row);
  },

  'connections.delete'(deps, { caller, params }) {
    if (!deps.runtime.modelConnections.remove(params.connection_id, caller.organisationId)) {
      throw new WorkbenchError('not_found', 'The connection does not exist.');
    }
  },

  async 'connections.test'(deps, { caller, params }) {
    const row = deps.store.connections.get(params.connection_id, caller.organisationId);
    if (row === null) throw new WorkbenchError('not_found', 'The connection does not exist.');
    const { modelConnections: teachers } = deps.runtime;
    const began = deps.clock.monotonic();
    const took = () => Math.round(deps.clock.monotonic() - began);
    try {
      await askChat(
        teachers.toEndpoint(row),
        {
          system: 'Answer with one JSON object and nothing else.',
          user: 'What is 2 + 3? Answer as {"answer": number}.',
          schema: { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] },
          schemaName: 'sum',
          temperature: 0,
          maxTokens: 50,
        },
        (value) => testAnswer.parse(value),
        { ...teachers.chat, timeoutMs: Math.min(testTimeoutMs, teachers.chat.timeoutMs), retries: 0 },
      );
      return { ok: true, message: 'The teacher answers, in the form that was asked for.', latency_ms: took() };
    } catch (error) {
      if (!(error instanceof WorkbenchError)) throw error;
      return { ok: false, message: error.message, latency_ms: took() };
    }
  },
} satisfies Handlers<'connections.list' | 'connections.create' | 'connections.delete' | 'connections.test'>;
