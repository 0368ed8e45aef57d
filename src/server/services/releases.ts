/** Every change of what decides becomes a release: numbered, with its digest and what it changes in words. */
import { type DescribedRelease, describeChanges, type ReleaseSettings } from '../../engine/bundle/describe-changes.ts';
import { mergeThresholds } from '../../engine/thresholds.ts';
import type { Caller } from '../auth/caller.ts';
import type { Foundation } from '../foundation.ts';
import { followsSettings } from '../runtime/current-settings.ts';
import type { PolicyRecord } from '../store/policies/policy-records.ts';
import type { ReleaseContent, ReleaseNote } from '../store/policies/releases.ts';
import type { Store } from '../store/store.ts';
import type { Author } from '../store/types/authors.ts';
import type { DecisionTypeRecord, VersionRecord } from '../store/types/decision-types.ts';
import { findAuthor } from './authors.ts';

/** The name of the person or key that calls; null for a person without one in this organisation. */
export const nameCaller = (store: Store, caller: Caller): string | null => findAuthor(store, caller).name;

/** Names who labels: a key is one reader, by its own name; people who share a session name themselves. */
export function nameReader(store: Store, caller: Caller, given: string | undefined): string | null {
  return caller.apiKeyId === null ? (given ?? nameCaller(store, caller)) : nameCaller(store, caller);
}

type NewRelease = ReleaseNote & {
  isDeployment?: boolean;
  over?: readonly string[];
  /** Guards that were taken away, in sentences: they stand in the history also where the same decides. */
  switched?: readonly string[];
  authors: readonly Author[];
};

/** Notes what decides for a type now, where that has changed or a policy was put in charge; `over`: objections. */
export function noteRelease(
  deps: Foundation,
  typeId: string,
  { isDeployment = false, over = [], switched = [], authors, ...note }: NewRelease,
): void {
  const { store, events, clock } = deps;
  const policyId = store.deployments.findId(typeId);
  if (policyId === null) return;
  const type = readType(deps, typeId);
  const { content, described } = readContent(deps, type, policyId);
  const before = store.releases.findNewest(typeId);
  const isSame = before?.digest === content.digest && before.policyId === policyId;
  if (isSame && !isDeployment && switched.length === 0) return;
  const changes = [
    ...describeChanges(before && describeContent(deps, type, before), described),
    ...over.map((sentence) => `Released anyway: ${sentence}`),
    ...switched,
  ];
  const number = (before?.number ?? 0) + 1;
  store.releases.insert({ typeId, ...content, ...note, isDeployment, changes });
  store.authors.add(typeId, `release ${number}`, authors, clock.now());
  store.deployments.forget();
  const decides = { policy_id: policyId, release: number, digest: content.digest };
  events.tell(type.organisationId, { event: 'release', decision_type_id: typeId, ...decides });
}

/** The digest of a policy with its type's present settings, and the number of the release if it decides now. */
export function identifyRelease(
  { store, runtime }: Foundation,
  type: DecisionTypeRecord,
  policy: PolicyRecord & { bundleSha256: string },
): { digest: string; number: number | null } {
  const deployed = store.deployments.find(type.id);
  if (deployed?.id === policy.id) return { digest: deployed.digest, number: deployed.release };
  return { digest: runtime.deployed.digest(type, policy), number: null };
}

/** Why something that decides was changed, and what spoke against it. */
export type ChangeNote = Pick<NewRelease, 'reason' | 'over' | 'switched'> & { authors?: readonly Author[] };

/** As `noteRelease`, of a change over REST or in the page by a caller. */
export function noteChange(
  deps: Foundation,
  caller: Caller,
  typeId: string,
  { authors, ...note }: ChangeNote = { reason: null },
): void {
  const author = findAuthor(deps.store, caller);
  noteRelease(deps, typeId, { by: author.name, isAutomatic: false, authors: authors ?? [author], ...note });
}

/** Gives the number 1 to what decides in data from before releases. */
export function numberFirstReleases(deps: Foundation): void {
  const { store } = deps;
  for (const { typeId, policyId } of store.releases.listUnnumbered()) {
    const { content, described } = readContent(deps, readType(deps, typeId), policyId);
    store.releases.numberFirst(typeId, content, describeChanges(null, described));
  }
}

type Described = { content: ReleaseContent; described: DescribedRelease };

/** The content of a release with this policy: the active version beside it, or its own where options differ. */
export function readContent(deps: Foundation, type: DecisionTypeRecord, policyId: string): Described {
  const policy = readPolicy(deps, policyId);
  const trained = readVersion(deps, type.id, policy.versionId);
  const isPresent = followsSettings(type, { version: trained });
  const [version, fallbackOption] = isPresent
    ? [type.activeVersion, type.fallbackOption]
    : [trained, policy.fallbackOption];
  const settings = toSettings(version, fallbackOption, policy);
  const digest = deps.runtime.deployed.digest({ ...type, activeVersion: version, fallbackOption }, policy);
  return {
    content: { policyId, versionId: version.id, fallbackOption, digest },
    described: { policyVersion: policy.version, settings },
  };
}

function describeContent(deps: Foundation, type: DecisionTypeRecord, content: ReleaseContent): DescribedRelease {
  const policy = readPolicy(deps, content.policyId);
  const settings = toSettings(readVersion(deps, type.id, content.versionId), content.fallbackOption, policy);
  return { policyVersion: policy.version, settings };
}

function toSettings(
  { definition }: VersionRecord,
  fallbackOption: string | null,
  { trainingConfig }: PolicyRecord,
): ReleaseSettings {
  const { options: _options, ...settings } = definition;
  return {
    ...settings,
    confidence_thresholds: mergeThresholds(settings.confidence_thresholds, trainingConfig.escalation_threshold),
    fallback_option: fallbackOption,
  };
}

function readType({ store }: Foundation, typeId: string): DecisionTypeRecord {
  const type = store.decisionTypes.find(typeId);
  if (type === null) throw new Error(`The decision type ${typeId} does not exist.`);
  return type;
}

function readPolicy({ store }: Foundation, policyId: string): PolicyRecord & { bundleSha256: string } {
  const policy = store.policies.byId(policyId);
  if (policy === null || policy.bundleSha256 === null) throw new Error(`The policy ${policyId} cannot decide.`);
  return { ...policy, bundleSha256: policy.bundleSha256 };
}

function readVersion({ store }: Foundation, typeId: string, versionId: string): VersionRecord {
  const version = store.decisionTypes.getVersion(typeId, versionId);
  if (version === null) throw new Error(`The version ${versionId} does not exist.`);
  return version;
}
