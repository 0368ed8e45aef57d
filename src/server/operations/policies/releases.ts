/** Releases over the wire. */
import type { Release } from '../../contract/policies/releases.ts';
import { isoTime } from '../../process/clock.ts';
import type { ReleaseRecord } from '../../store/policies/releases.ts';
import type { Handlers } from '../context.ts';
import { toPage } from '../pages.ts';

function toRelease(release: ReleaseRecord, current: number | undefined): Release {
  return {
    release: release.number,
    current: release.number === current,
    digest: release.digest,
    policy_id: release.policyId,
    policy_version: `v${release.policyVersion}`,
    decision_type_version: release.versionNumber,
    version_id: release.versionId,
    fallback_option: release.fallbackOption,
    created_at: isoTime(release.madeAt),
    by: release.by,
    automatic: release.isAutomatic,
    reason: release.reason,
    changes: release.changes,
  };
}

export const releaseHandlers = {
  'releases.list': (deps, { type, query }) => {
    const { releases, total } = deps.store.releases.list(type.id, query.page, query.page_size);
    const current = deps.store.deployments.find(type.id)?.release;
    return toPage(
      releases.map((release) => toRelease(release, current)),
      total,
      query,
    );
  },
} satisfies Handlers;
