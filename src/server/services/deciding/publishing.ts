/** Publishing a draft: what it would change on held-out examples, what holds it, and the release it becomes. */
import type { Decider } from '../../../engine/decide/decided.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import { listWorse } from '../../../engine/measure/rules-effect.ts';
import type { RulesEffect } from '../../../engine/measured.ts';
import { type Caller, toCallerId } from '../../auth/caller.ts';
import type { Foundation } from '../../foundation.ts';
import { hasSameOptions } from '../../runtime/current-settings.ts';
import type { DeployedPolicy } from '../../store/policies/deployments.ts';
import type { ReleaseRecord } from '../../store/policies/releases.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import { prepareDeployedPolicy } from '../policies/deployment.ts';
import { tryDraft } from '../policies/held-out-decisions.ts';
import { describeRed, type PinnedCases } from '../policies/pinned-cases.ts';
import { readPolicy } from '../policies/policies.ts';
import {
  checkUpdate,
  findDecisionType,
  refuseChangedMeanwhile,
  refuseOtherState,
  writeUpdate,
} from '../types/decision-types.ts';
import { applyDraft, type DraftedType, listConflicts, refuseConflicts } from '../types/drafts.ts';

type PublishDeps = Foundation & { pinnedCases: PinnedCases };

/** Pinned cases that are named. */
const maxNamedCases = 3;

/** The deployed policy that the draft of a type would decide with; null where none is, or it has other options. */
export function findDraftPolicy({ store }: Foundation, type: DecisionTypeRecord): DeployedPolicy | null {
  const deployed = store.deployments.find(type.id);
  return deployed !== null && hasSameOptions(deployed.options, type.activeVersion.definition.options) ? deployed : null;
}

/** Compiles what would decide with a draft, beside what is kept: live calls never wait for their own again. */
export function compileDraft({ runtime }: Foundation, type: DraftedType, policy: DeployedPolicy): Decider {
  return runtime.deployed.compile(runtime.deployed.readFile(applyDraft(type), policy).present);
}

/** A reason against publishing a draft: `must`, a pinned case that it breaks; `worse`, until a reason is given. */
export type Hold = { kind: 'must' | 'worse'; sentence: string };

/** Measures a draft on held-out examples (null while it would not decide), and lists what holds it. */
export async function assessDraft(
  deps: PublishDeps,
  caller: Caller,
  type: DraftedType,
): Promise<{ unseen: RulesEffect | null; holds: Hold[] }> {
  const policy = findDraftPolicy(deps, type);
  if (policy === null) return { unseen: null, holds: [] };
  const drafted = applyDraft(type);
  const unseen = await tryDraft(deps, toCallerId(caller), type, readPolicy(deps.store, policy.id), drafted);
  const { cases } = await deps.pinnedCases.decide(drafted, policy, () => compileDraft(deps, type, policy));
  const red = cases.filter(({ isKept }) => !isKept).slice(0, maxNamedCases);
  return {
    unseen,
    holds: [
      ...red.map((each) => ({ kind: 'must' as const, sentence: describeRed(each, type.piiFields) })),
      ...listWorse(unseen).map((sentence) => ({ kind: 'worse' as const, sentence })),
    ],
  };
}

/**
 * Makes the draft of a type what decides: a version and its release, or neither. Throws `conflict` (held, changed live
 * meanwhile, other options), `validation_error` or `precondition_failed`.
 */
export async function publishDraft(
  deps: PublishDeps,
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
  const { holds } = await assessDraft(deps, caller, type);
  const [hold] = holds.filter(({ kind }) => kind !== 'worse' || reason === null);
  if (hold) {
    const remedy = hold.kind === 'worse' ? 'Give a reason to publish the draft all the same.' : 'The case has to hold.';
    throw new WorkbenchError('conflict', `${hold.sentence} ${remedy}`);
  }
  const seen = await checkUpdate(deps, caller, type.id, type.draft.to);
  const made = store.transaction(() => {
    const now = findDecisionType(deps, caller, type.id);
    refuseChangedMeanwhile(deps, now, type);
    store.decisionTypes.update({ ...now, draft: null }, false);
    writeUpdate(deps, caller, type.draft.to, seen, reason);
    const newest = store.releases.findNewest(type.id);
    if (newest === null) throw new Error('The release was not noted.');
    alongside(newest);
    return newest;
  });
  await prepareDeployedPolicy(deps, policy.id);
  return made;
}
