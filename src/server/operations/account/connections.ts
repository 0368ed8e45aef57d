/** Model connections: listed without their keys, made, removed, tried out. */
import type { Connection } from '../../contract/account/connections.ts';
import { isoTime } from '../../process/clock.ts';
import { connectModel, disconnectModel, testConnection } from '../../services/account/connections.ts';
import type { ConnectionRecord } from '../../store/account/connections.ts';
import type { Deps, Handlers } from '../context.ts';

function toConnection({ runtime }: Deps, connection: ConnectionRecord): Connection {
  return {
    id: connection.id,
    name: connection.name,
    url: connection.url,
    model: connection.model,
    has_api_key: runtime.modelConnections.hasKey(connection),
    key_missing: connection.hasApiKey && !runtime.modelConnections.hasKey(connection),
    private_network: connection.privateNetwork,
    generates: connection.generates,
    created_at: isoTime(connection.createdAt),
  };
}

export const connectionHandlers = {
  'connections.list': (deps, { caller }) =>
    deps.store.connections.list(caller.organisationId).map((each) => toConnection(deps, each)),

  'connections.create': (deps, { caller, body, receipt }) =>
    deps.store.transaction(() => {
      const connection = connectModel(deps, caller, {
        name: body.name,
        url: body.url,
        model: body.model,
        privateNetwork: body.private_network,
        generates: body.generates,
        apiKey: body.api_key ?? null,
      });
      const answer = toConnection(deps, connection);
      receipt?.keep(answer);
      return answer;
    }),

  'connections.delete': (deps, { caller, params }) => disconnectModel(deps, caller, params.connection_id),

  'connections.test': async (deps, { caller, params }) => {
    const { ok, message, latencyMs } = await testConnection(deps, caller, params.connection_id);
    return { ok, message, latency_ms: latencyMs };
  },
} satisfies Handlers;
