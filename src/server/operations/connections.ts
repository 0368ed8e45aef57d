/** Model connections: listed without their keys, made, removed, tried out. */
import type { Connection } from '../contract/connections.ts';
import { isoTime } from '../process/clock.ts';
import { connectModel, disconnectModel, testConnection } from '../services/connections.ts';
import type { ConnectionRecord } from '../store/connections.ts';
import type { Handlers } from './context.ts';

function toConnection(connection: ConnectionRecord): Connection {
  return {
    id: connection.id,
    name: connection.name,
    url: connection.url,
    model: connection.model,
    has_api_key: connection.hasApiKey,
    private_network: connection.privateNetwork,
    generates: connection.generates,
    created_at: isoTime(connection.createdAt),
  };
}

export const connectionHandlers = {
  'connections.list': (deps, { caller }) => deps.store.connections.list(caller.organisationId).map(toConnection),

  'connections.create': (deps, { caller, body }) =>
    toConnection(
      connectModel(deps, caller, {
        name: body.name,
        url: body.url,
        model: body.model,
        privateNetwork: body.private_network,
        generates: body.generates,
        apiKey: body.api_key ?? null,
      }),
    ),

  'connections.delete': (deps, { caller, params }) => disconnectModel(deps, caller, params.connection_id),

  'connections.test': async (deps, { caller, params }) => {
    const { ok, message, latencyMs } = await testConnection(deps, caller, params.connection_id);
    return { ok, message, latency_ms: latencyMs };
  },
} satisfies Handlers<'connections.list' | 'connections.create' | 'connections.delete' | 'connections.test'>;
