/** Publishing a draft, or an earlier version: what it would change on held-out examples, what holds it, its release. */
import type { Decider } from '../../../engine/decide/golden.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { RulesEffect } from '../../../engine/measured.ts';
import { type Caller, toCallerId } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import { hasSameOptions } from '../../runtime/current-settings.ts';
import type { DeployedPolicy } from '../../store/policies/deployments.ts';
import type { ReleaseRecord } from '../../store/policies/releases.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { prepareDeployedPolicy, withSettings } from '../policies/deployment.ts';
import { tryDraft } from '../policies/held-out-decisions.ts';
import { readPolicy } from '../policies/policies.ts';
import { assessPolicy, type Hold, listHolds, passVerdict, type VerdictDeps } from '../policies/verdict.ts';
import {
  checkUpdate,
  findDecisionType,
  findVersion,
  refuseChangedMeanwhile,
  refuseOtherState,
  updateDecisionType,
  writeUpdate,
} from '../types/decision-types.ts';
import { applyDraft, type DraftedType, listConflicts, readChanges, refuseConflicts } from '../types/drafts.ts';

/** The deployed policy that the draft of a type would decide with; null where none is, or it has other options. */
export function findDraftPolicy({ store }: Foundation, type: DecisionTypeRecord): DeployedPolicy | null {
  const deployed = store.deployments.find(type.id);
  return deployed !== null && hasSameOptions(deployed.options, type.activeVersion.definition.options) ? deployed : null;
}

/** Compiles what would decide with a draft, beside what is kept: live calls never wait for their own again. */
export function compileDraft({ runtime }: Foundation, type: DraftedType, policy: DeployedPolicy): Decider {
  return runtime.deployed.compile(runtime.deployed.readFile(applyDraft(type), policy).present);
}

/** Measures a draft on held-out examples (null while it would not decide), and lists what holds it. */
export async function assessDraft(
  deps: VerdictDeps,
  caller: Caller,
  type: DraftedType,
): Promise<{ unseen: RulesEffect | null; holds: Hold[] }> {
  const policy = findDraftPolicy(deps, type);
  if (policy === null) return { unseen: null, holds: [] };
  const { unseen, verdict } = await judgeSettings(deps, caller, type, applyDraft(type), policy);
  return { unseen, holds: listHolds(verdict) };
}

/** Judges the deployed policy of a type with other settings beside it: the type as it would be. */
async function judgeSettings(
  deps: VerdictDeps,
  caller: Caller,
  type: DecisionTypeRecord,
  next: DecisionTypeRecord,
  { id }: DeployedPolicy,
) {
  const policy = readPolicy(deps.store, id);
  const unseen = await tryDraft(deps, toCallerId(caller), type, policy, next);
  await deps.pinnedCases.tryToDecide(next, policy);
  return { unseen, verdict: assessPolicy(deps, next, policy, unseen) };
}

/**
 * Makes the draft of a type what decides: a version and its release, or neither. Throws `conflict` (held, changed live
 * meanwhile, other options, published by its author where another has to), `validation_error` or `precondition_failed`.
 */
export async function publishDraft(
  deps: VerdictDeps,
  caller: Caller,
  type: DraftedType,
  { reason, ifMatch }: { reason: string | null; ifMatch: string | null },
  alongside: (release: ReleaseRecord) => void,
): Promise<ReleaseRecord> {
  const { store } = deps;
  refuseOtherState(deps, type, ifMatch);
  refuseConflicts(listConflicts(type));
  const policy = findDraftPolicy(deps, type);
  if (policy === null) {
    throw new WorkbenchError('conflict', 'No policy with the current options is deployed. Train the type first.');
  }
  const { verdict } = await judgeSettings(deps, caller, type, applyDraft(type), policy);
  const over = passVerdict(deps, caller, type, { verdict, work: 'draft', reason });
  const change = await checkUpdate(deps, caller, type.id, readChanges(type));
  const made = store.transaction(() => {
    const now = findDecisionType(deps, caller, type.id);
    refuseChangedMeanwhile(deps, now, type);
    store.decisionTypes.update({ ...now, draft: null }, false);
    const authors = store.authors.list(type.id, 'draft');
    store.authors.clear(type.id, 'draft');
    writeUpdate(deps, caller, change, { reason, over, authors });
    const newest = store.releases.findNewest(type.id);
    if (newest === null) throw new Error('The release was not noted.');
    alongside(newest);
    return newest;
  });
  await prepareDeployedPolicy(deps, policy.id);
  return made;
}

/**
 * Makes a new version with the content of an earlier one. Throws `not_found`, `conflict` (held, published by hand), or
 * as `updateDecisionType`.
 */
export async function restoreVersion(
  deps: VerdictDeps,
  caller: Caller,
  type: DecisionTypeRecord,
  { versionId, reason, ifMatch }: { versionId: string; reason: string | null; ifMatch: string | null },
): Promise<DecisionTypeRecord> {
  refuseOtherState(deps, type, ifMatch);
  const { definition, versionNumber } = findVersion(deps, caller, type.id, versionId);
  const next = withSettings(deps, type, definition, type.fallbackOption);
  const policy = findDraftPolicy(deps, next);
  const verdict = policy && (await judgeSettings(deps, caller, type, next, policy)).verdict;
  // Where changes wait in a draft this is refused, as every live change is.
  const over = passVerdict(deps, caller, type, { verdict: verdict ?? [], work: null, reason });
  const note = { reason: reason ?? `Version ${versionNumber} was restored.`, over };
  return updateDecisionType(deps, caller, type.id, definition, { ifMatch, note });
}
