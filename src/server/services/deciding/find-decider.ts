/** The decider that a call names: what is deployed of a type, or one of its releases, by number or alias. */
import type { InputField } from '../../../engine/bundle/input-fields.ts';
import type { Decider } from '../../../engine/decide/golden.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import type { DeployedPolicy } from '../../store/policies/deployments.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { findDecisionTypeByName } from '../types/decision-types.ts';

/** The type and the policy with the release that decides; of a release that was named its decider and fields. */
export type Deciding = { type: DecisionTypeRecord; policy: DeployedPolicy } & (
  | { pinned: Decider; fields: InputField[] }
  | { pinned: null }
);

/**
 * Finds what decides under a name. What follows the `@` behind the name of a type is one of its releases and nothing
 * else; types from before names were checked may have an `@` of their own. Throws `decision_type_not_found`,
 * `model_not_deployed`, `not_found` (release, alias) or `unavailable` (its policy's file).
 */
export function findDeciding(deps: Foundation, caller: Caller, name: string): Deciding {
  const { decisionTypes, deployments } = deps.store;
  const { organisationId } = caller;
  const at = name.lastIndexOf('@');
  const pinned = at < 0 ? null : decisionTypes.getByName(name.slice(0, at), organisationId);
  if (pinned !== null) return findPinned(deps, pinned, name.slice(at + 1));
  const type = findDecisionTypeByName(deps, caller, name);
  const policy = deployments.find(type.id);
  if (policy !== null) return { type, policy, pinned: null };
  throw new WorkbenchError('model_not_deployed', 'No policy is deployed for this decision type. Train one first.');
}

/** Says by which releases a policy has decided: "v2" names a policy everywhere, and never release 2. */
function refusePolicyName({ name }: DecisionTypeRecord, numbers: readonly number[], policy: string): WorkbenchError {
  const [newest] = numbers;
  const found =
    newest === undefined
      ? 'it has none'
      : `${policy} decides in release ${numbers.join(', ')}: ask ${JSON.stringify(`${name}@${newest}`)}`;
  return new WorkbenchError('not_found', `${policy} is the name of a policy, and callers name a release: ${found}.`);
}

function findPinned(deps: Foundation, live: DecisionTypeRecord, pin: string): Deciding {
  const { releases } = deps.store;
  const number = /^\d{1,9}$/.test(pin) ? Number(pin) : releases.findAlias(live.id, pin);
  if (number === null) {
    if (/^v\d+$/.test(pin)) throw refusePolicyName(live, releases.listNumbers(live.id, Number(pin.slice(1))), pin);
    const missing =
      pin === ''
        ? `Nothing stands behind the "@". Name a release or an alias, as ${JSON.stringify(`${live.name}@1`)}, or leave it out.`
        : `No release of this decision type has the alias ${JSON.stringify(pin)}.`;
    throw new WorkbenchError('not_found', missing);
  }
  return findRelease(deps, live, number);
}

/** A release of a type with its decider; throws `not_found` or `unavailable` (its policy's file). */
export function findRelease(
  deps: Foundation,
  live: DecisionTypeRecord,
  number: number,
): Deciding & { pinned: Decider } {
  const { releases, decisionTypes, policies } = deps.store;
  return deps.runtime.deployed.pin(live, number, () => {
    const release = releases.find(live.id, number);
    const policy = release && policies.byId(release.policyId);
    const version = release && decisionTypes.getVersion(live.id, release.versionId);
    if (!release || !policy?.bundleSha256 || !version) {
      throw new WorkbenchError('not_found', `There is no release ${number} of this decision type.`);
    }
    const { id, version: policyVersion, versionId, bundleSha256 } = policy;
    const { digest, fallbackOption } = release;
    const { options } = version.definition;
    return {
      type: { ...live, activeVersion: version, fallbackOption },
      policy: { id, version: policyVersion, versionId, bundleSha256, options, release: number, digest },
    };
  });
}

/**
 * The decider of a record from before releases had numbers: its policy with the version that it names, and today's
 * fallback, which was not recorded. Throws `not_found` or `unavailable`, as `findRelease`.
 */
export function findEarlier(
  deps: Foundation,
  live: DecisionTypeRecord,
  { policyVersion, versionNumber }: { policyVersion: string; versionNumber: number },
): Decider {
  const { decisionTypes, policies } = deps.store;
  return deps.runtime.deployed.pin(live, `${policyVersion} ${versionNumber}`, () => {
    const listed = policies.list(live.id).find((policy) => `v${policy.version}` === policyVersion);
    const policy = listed && policies.byId(listed.id);
    const version = decisionTypes.findVersion(live.id, versionNumber);
    if (!policy?.bundleSha256 || !version)
      throw new WorkbenchError('not_found', `There is no policy ${policyVersion} of this decision type.`);
    const { id, version: number, versionId, bundleSha256 } = policy;
    const { options } = version.definition;
    return {
      type: { ...live, activeVersion: version },
      policy: { id, version: number, versionId, bundleSha256, options, release: 0, digest: '' },
    };
  }).pinned;
}
