/** The caller's user, organisation and API keys. */
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Caller } from '../../auth/caller.ts';
import type { ApiKey, Me } from '../../contract/account/account.ts';
import { isoTime, isoTimeOrNull } from '../../process/clock.ts';
import type { ApiKeyRecord, OrganisationRecord } from '../../store/account/accounts.ts';
import type { Deps, Handlers } from '../context.ts';

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
} satisfies Handlers;
