import { WorkbenchError } from '../../engine/errors.ts';
import type { Caller } from '../auth/caller.ts';
import type { ApiKey, Me } from '../contract/account.ts';
import { isoTime, isoTimeOrNull } from '../process/clock.ts';
import type { ApiKeyRow } from '../store/accounts.ts';
import type { Deps, Handlers } from './context.ts';

function organisationOf(deps: Deps, id: string): Me['organisation'] {
  const row = deps.store.accounts.organisation(id);
  return { id: row.id, name: row.name, plan: row.plan, created_at: isoTime(row.createdAt) };
}

function meOf(deps: Deps, caller: Caller): Me {
  const user = caller.userId === null ? null : deps.store.accounts.user(caller.userId);
  if (user === null) throw new WorkbenchError('unauthorized', 'The user does not exist any more.');
  return {
    user: { id: user.id, email: user.email, name: user.name, role: user.role, created_at: isoTime(user.createdAt) },
    organisation: organisationOf(deps, user.organisationId),
  };
}

const keyOf = (row: ApiKeyRow) => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  rate_limit_per_minute: row.rateLimitPerMinute,
  created_at: isoTime(row.createdAt),
});

export const accountHandlers = {
  'session.create': async (deps, { body }) => {
    const { token, expiresAt } = await deps.auth.exchangeLoginCode(body.code);
    return { token, expires_at: isoTime(expiresAt) };
  },
  'account.me': (deps, { caller }) => meOf(deps, caller),
  'account.update': (deps, { caller, body }) => {
    if (caller.userId !== null) deps.store.accounts.renameUser(caller.userId, body.name);
    return meOf(deps, caller);
  },
  'organisation.update': (deps, { caller, body }) => {
    deps.store.accounts.renameOrganisation(caller.organisationId, body.name);
    return organisationOf(deps, caller.organisationId);
  },
  'api_keys.list': (deps, { caller }): ApiKey[] =>
    deps.store.accounts
      .keys(caller.organisationId)
      .map((row) => ({ ...keyOf(row), last_used_at: isoTimeOrNull(deps.auth.apiKeys.lastUsedAt(row)) })),
  'api_keys.create': (deps, { caller, body }) => {
    const { row, key } = deps.auth.apiKeys.create(caller.organisationId, body.name, body.rate_limit_per_minute);
    return { ...keyOf(row), key };
  },
  'api_keys.delete': (deps, { caller, params }) => {
    if (!deps.auth.apiKeys.revoke(params.key_id, caller.organisationId)) {
      throw new WorkbenchError('not_found', 'The API key does not exist.');
    }
  },
} satisfies Handlers<
  | 'session.create'
  | 'account.me'
  | 'account.update'
  | 'organisation.update'
  | 'api_keys.list'
  | 'api_keys.create'
  | 'api_keys.delete'
>;
