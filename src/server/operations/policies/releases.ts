/** Releases and their aliases, promises of policies and types, and the cost of decisions. */
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Release } from '../../contract/policies/releases.ts';
import { isoTime, isoTimeOrNull } from '../../process/clock.ts';
import { refuseAuthor } from '../../services/authors.ts';
import { publishDraft } from '../../services/deciding/publishing.ts';
import { findRelease, restoreRelease } from '../../services/policies/deployment.ts';
import { weighPolicyCosts } from '../../services/policies/policy-report.ts';
import { findPolicyPromise } from '../../services/policies/promises.ts';
import {
  declarePromise,
  keepPromise,
  readTypePromise,
  withdrawPromise,
} from '../../services/policies/type-promises.ts';
import { withDraft } from '../../services/types/drafts.ts';
import type { ReleaseRecord } from '../../store/policies/releases.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { type Deps, type Handlers, toPage } from '../context.ts';

/** Writes releases of one type. */
export function describeReleases(
  { store }: Deps,
  { id, seq }: DecisionTypeRecord,
): (release: ReleaseRecord) => Release {
  const current = store.deployments.find(id)?.release;
  const aliases = store.releases.listAliases(id);
  const count = store.logs.countByRelease(seq);
  return (release) => ({
    release: release.number,
    current: release.number === current,
    aliases: aliases.flatMap(({ alias, number }) => (number === release.number ? [alias] : [])),
    digest: release.digest,
    policy_id: release.policyId,
    policy_version: `v${release.policyVersion}`,
    decision_type_version: release.versionNumber,
    version_id: release.versionId,
    fallback_option: release.fallbackOption,
    created_at: isoTime(release.madeAt),
    replaced_at: isoTimeOrNull(release.replacedAt),
    live: count(release.number),
    by: release.by,
    automatic: release.isAutomatic,
    reason: release.reason,
    changes: release.changes,
  });
}

export const releaseHandlers = {
  'releases.list': (deps, { type, query }) => {
    const { releases, total } = deps.store.releases.list(type.id, query.page, query.page_size);
    return toPage(releases.map(describeReleases(deps, type)), total, query);
  },

  'releases.create': async (deps, { caller, type, body, ifMatch, receipt }) => {
    const toAnswer = (release: ReleaseRecord) => describeReleases(deps, type)(release);
    const { release: number, reason } = body;
    const keep = (made: ReleaseRecord) => receipt?.keep(toAnswer(made));
    const made =
      number === undefined
        ? publishDraft(deps, caller, withDraft(type), { reason, ifMatch }, keep)
        : restoreRelease(deps, caller, type, { number, reason, ifMatch }, keep);
    return toAnswer(await made);
  },

  'aliases.set': (deps, { caller, type, params, body }) => {
    const release = findRelease(deps, type.id, body.release);
    refuseAuthor(deps, caller, type, `release ${release.number}`);
    deps.store.releases.setAlias(type.id, params.alias, release.number);
    return describeReleases(deps, type)(release);
  },

  'aliases.delete': (deps, { type, params }) => {
    if (deps.store.releases.removeAlias(type.id, params.alias)) return;
    throw new WorkbenchError('not_found', 'No release has this alias.');
  },

  'policies.costs': (deps, { type, policy, query }) => weighPolicyCosts(deps, type, policy, query),

  'policies.promise': (deps, { type, policy, query }) => findPolicyPromise(deps, type, policy, query),

  'policies.keep_promise': async (deps, { caller, type, policy, body }) => {
    const kept = await keepPromise(deps, caller, type, policy, body);
    const status = deps.promiseChecks.read(kept.type, kept.policy);
    if (status === null) throw new Error(`The policy ${policy.id} lost its promise at once.`);
    return status;
  },

  'policies.withdraw_promise': (deps, { caller, type, policy }) =>
    policy.status === 'deployed' ? withdrawPromise(deps, caller, type) : deps.store.promises.set(policy.id, null),

  'promises.get': (deps, { type }) => readTypePromise(deps, type),

  'promises.declare': (deps, { caller, type, body }) => declarePromise(deps, caller, type, body),

  'promises.withdraw': (deps, { caller, type }) => withdrawPromise(deps, caller, type),
} satisfies Handlers;
