/** The caller's user, organisation and API keys, model connections, credits and plans. */
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Caller } from '../../auth/caller.ts';
import { type ApiKey, type Connection, type Me, planNames } from '../../contract/account/account.ts';
import { plans } from '../../metering/plans.ts';
import { isoTime, isoTimeOrNull } from '../../process/clock.ts';
import { choosePlan, connectModel, disconnectModel, testConnection } from '../../services/account/connections.ts';
import type { ApiKeyRecord, OrganisationRecord } from '../../store/account/accounts.ts';
import type { ConnectionRecord } from '../../store/account/connections.ts';
import type { UsageRecord } from '../../store/account/credits.ts';
import { type Deps, type Handlers, toPage } from '../context.ts';

const toOrganisation = ({ id, name, plan, createdAt }: OrganisationRecord): Me['organisation'] => ({
  id,
  name,
  plan,
  created_at: isoTime(createdAt),
});

const toKey = (key: ApiKeyRecord): Omit<ApiKey, 'last_used_at'> => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  rate_limit_per_minute: key.rateLimitPerMinute,
  scopes: key.scopes,
  allow_destructive: key.allowsDestructive,
  holder: key.holder,
  created_at: isoTime(key.createdAt),
});

function readMe({ store: { accounts } }: Deps, caller: Caller): Me {
  const user = caller.userId === null ? null : accounts.getUser(caller.userId);
  if (user === null) throw new WorkbenchError('unauthorized', 'The user does not exist any more.');
  return {
    user: { id: user.id, email: user.email, name: user.name, role: user.role, created_at: isoTime(user.createdAt) },
    organisation: toOrganisation(accounts.getOrganisation(user.organisationId)),
  };
}

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

const dayMs = 24 * 3600 * 1000;

const toUsageItem = (entry: UsageRecord) => ({
  id: entry.id,
  operation: entry.operation,
  credits: entry.credits,
  decision_type_id: entry.decisionTypeId,
  reference_id: entry.referenceId,
  created_at: isoTime(entry.createdAt),
});

export const accountHandlers = {
  'session.create': async (deps, { body }) => {
    const { token, expiresAt } = await deps.auth.exchangeLoginCode(body.code);
    return { token, expires_at: isoTime(expiresAt) };
  },

  'account.me': (deps, { caller }) => readMe(deps, caller),

  'account.update': (deps, { caller, body }) => {
    if (caller.userId !== null) deps.store.accounts.renameUser(caller.userId, body.name);
    return readMe(deps, caller);
  },

  'organisation.update': (deps, { caller, body }) => {
    const { accounts } = deps.store;
    accounts.renameOrganisation(caller.organisationId, body.name);
    return toOrganisation(accounts.getOrganisation(caller.organisationId));
  },

  'api_keys.list': (deps, { caller }) =>
    deps.store.accounts
      .listKeys(caller.organisationId)
      .map((key) => ({ ...toKey(key), last_used_at: isoTimeOrNull(deps.auth.apiKeys.lastUsedAt(key)) })),

  'api_keys.create': (deps, { caller, body }) => {
    const { record, key } = deps.auth.apiKeys.create(caller.organisationId, {
      name: body.name,
      rateLimitPerMinute: body.rate_limit_per_minute,
      scopes: body.scopes,
      allowsDestructive: body.allow_destructive,
      madeBy: caller.userId,
      holder: body.holder,
    });
    return { ...toKey(record), key };
  },

  'api_keys.delete': (deps, { caller, params }) => {
    if (!deps.auth.apiKeys.revoke(params.key_id, caller.organisationId)) {
      throw new WorkbenchError('not_found', 'The API key does not exist.');
    }
    deps.events.endOf(params.key_id);
  },

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

  'credits.balance': (deps, { caller }) => deps.metering.balance(caller),

  'credits.usage': (deps, { caller, query }) => {
    const { entries, total, byOperation } = deps.store.credits.usage({
      organisationSeq: caller.organisationSeq,
      sinceMs: deps.clock.now() - query.days * dayMs,
      operation: query.operation ?? null,
      page: query.page,
      pageSize: query.page_size,
    });
    return {
      ...toPage(entries.map(toUsageItem), total, query),
      summary: {
        total_credits: Object.values(byOperation).reduce((sum, credits) => sum + credits, 0),
        by_operation: byOperation,
      },
    };
  },

  'billing.plans': (deps, { caller }) => ({
    current: deps.store.accounts.getOrganisation(caller.organisationId).plan,
    plans: planNames.map((name) => plans[name]),
  }),

  'billing.set_plan': (deps, { caller, body }) => {
    choosePlan(deps, caller, body.plan);
    return deps.metering.balance(caller);
  },
} satisfies Handlers;
