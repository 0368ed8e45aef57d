/** The draft of a type: changes of what decides beside its policy, kept with the type until they are published. */
import { isDeepStrictEqual } from 'node:util';
import { toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import { describeChanges, type ReleaseSettings } from '../../../engine/bundle/describe-changes.ts';
import type { Rule } from '../../../engine/domain/definition.ts';
import { WorkbenchError } from '../../../engine/errors.ts';
import type { Caller } from '../../auth/caller.ts';
import type { DecisionTypeUpdate } from '../../contract/types/decision-types.ts';
import { type SettingName, settingNames } from '../../contract/types/drafts.ts';
import type { Foundation } from '../../foundation.ts';
import type { DecisionTypeRecord, DraftRecord } from '../../store/types/decision-types.ts';
import { noteAuthor } from '../authors.ts';
import { nameCaller } from '../releases.ts';
import {
  checkUpdate,
  findDecisionType,
  readRules,
  refuseChangedMeanwhile,
  refuseOtherState,
  updateDecisionType,
} from './decision-types.ts';

const isHint = ({ hint }: Rule) => hint === true;
const isDeciding = ({ hint }: Rule) => hint !== true;

export type DraftedType = DecisionTypeRecord & { draft: DraftRecord };

/** The draft's type; throws `not_found` where it has none. */
export function withDraft(type: DecisionTypeRecord): DraftedType {
  const { draft } = type;
  if (draft === null) throw new WorkbenchError('not_found', 'This decision type has no draft.');
  return { ...type, draft };
}

/** The changes of a draft, beside the hints that teach now: these decide nothing, so no draft holds any. */
export function readChanges({ draft, activeVersion }: DraftedType): DraftRecord['to'] {
  const { hard_rules: rules } = draft.to;
  const hints = activeVersion.definition.hard_rules.filter(isHint);
  return rules === undefined ? draft.to : { ...draft.to, hard_rules: [...rules.filter(isDeciding), ...hints] };
}

/** The type as it would be with its draft: under a version that is stored nowhere, with an id of its own. */
export function applyDraft(type: DraftedType): DecisionTypeRecord {
  const { fallback_option: fallbackOption = type.fallbackOption, ...changed } = readChanges(type);
  const { definition, ...version } = type.activeVersion;
  return {
    ...type,
    fallbackOption,
    activeVersion: {
      ...version,
      id: `${version.id} draft ${type.draft.updatedAt}`,
      definition: { ...definition, ...changed },
    },
  };
}

/** Describes the changes of a draft in sentences. */
export function describeDraft(type: DraftedType): string[] {
  const settings = readSettings(type);
  const policyVersion = 0;
  return describeChanges(
    { policyVersion, settings },
    { policyVersion, settings: { ...settings, ...readChanges(type) } },
  );
}

/** Lists what was changed live, to something else, since the draft has changed it. */
export function listConflicts({ draft, ...type }: DraftedType): SettingName[] {
  const settings = readSettings(type);
  const isOther = (name: SettingName, side: Partial<ReleaseSettings>) =>
    !isDeepStrictEqual(settings[name], name === 'hard_rules' ? side[name]?.filter(isDeciding) : side[name]);
  return settingNames.filter((name) => name in draft.to && isOther(name, draft.from) && isOther(name, draft.to));
}

/** Throws `conflict` where something of a draft was changed live as well. */
export function refuseConflicts(names: readonly SettingName[]): void {
  if (names.length === 0) return;
  throw new WorkbenchError(
    'conflict',
    `Since the draft was made, ${names.join(', ')} ${names.length === 1 ? 'was' : 'were'} changed live. Send ${names.length === 1 ? 'it' : 'them'} again with draft: true, or discard the draft.`,
  );
}

/**
 * Adds changes to the draft of a type; what is as it decides now leaves the draft, and hints teach at once, for they
 * decide nothing. Throws `validation_error`, `conflict` (nothing deployed, changed live) or `precondition_failed`.
 */
export async function keepDraft(
  deps: Foundation,
  caller: Caller,
  id: string,
  { rules: _alias, ...request }: DecisionTypeUpdate,
  ifMatch: string | null,
): Promise<DecisionTypeRecord> {
  refuseOtherState(deps, findDecisionType(deps, caller, id), ifMatch);
  const { rules } = readRules({ rules: _alias, ...request });
  const type = rules ? await keepHints(deps, caller, id, rules) : findDecisionType(deps, caller, id);
  const hints = type.activeVersion.definition.hard_rules.filter(isHint);
  const given = { ...request, ...(rules && { hard_rules: rules.filter(isDeciding) }) };
  const known: readonly string[] = settingNames;
  const foreign = Object.keys(given).filter((name) => !known.includes(name));
  if (foreign.length > 0) {
    const message = 'is no part of a draft: send it without draft';
    throw toValidationError(foreign.map((name) => toInvalidValue(['body', name], message)));
  }
  if (deps.store.deployments.find(id) === null) {
    throw new WorkbenchError(
      'conflict',
      'No policy is deployed, so nothing is live yet: send the change without draft.',
    );
  }
  if (type.draft !== null) {
    refuseConflicts(listConflicts({ ...type, draft: type.draft }).filter((name) => !(name in given)));
  }
  const wanted = { ...type.draft?.to, ...given };
  const { hard_rules: decidingRules } = wanted;
  const { seen } = await checkUpdate(deps, caller, id, {
    ...wanted,
    ...(decidingRules && { hard_rules: [...decidingRules.filter(isDeciding), ...hints] }),
  });
  return deps.store.transaction(() => {
    const now = findDecisionType(deps, caller, id);
    refuseChangedMeanwhile(deps, now, seen);
    const settings = readSettings(now);
    const changed: readonly string[] = settingNames.filter(
      (name) => wanted[name] !== undefined && !isDeepStrictEqual(wanted[name], settings[name]),
    );
    const pick = (from: object) => Object.fromEntries(Object.entries(from).filter(([name]) => changed.includes(name)));
    const draft: DraftRecord = {
      from: pick(settings),
      to: pick(wanted),
      by: nameCaller(deps.store, caller),
      updatedAt: deps.clock.now(),
    };
    const isChanged = !isDeepStrictEqual(draft.to, now.draft?.to ?? {});
    if (isChanged) noteAuthor(deps, caller, now, 'draft');
    const isLeft = changed.length > 0;
    if (!isLeft) deps.store.authors.clear(id, 'draft');
    // Who sends again what the draft says has changed nothing of it.
    const { by, updatedAt } = isChanged || now.draft === null ? draft : now.draft;
    deps.store.decisionTypes.update({ ...now, draft: isLeft ? { ...draft, by, updatedAt } : null }, false);
    return findDecisionType(deps, caller, id);
  });
}

/** Has a type learn from the hints among some rules, and from no others, from its next training on. */
async function keepHints(deps: Foundation, caller: Caller, id: string, rules: readonly Rule[]) {
  const type = findDecisionType(deps, caller, id);
  const live = type.activeVersion.definition.hard_rules;
  const hints = rules.filter(isHint);
  if (deps.store.deployments.find(id) === null || isDeepStrictEqual(hints, live.filter(isHint))) return type;
  return updateDecisionType(deps, caller, id, { hard_rules: [...live.filter(isDeciding), ...hints] });
}

/** Discards the draft of a type; throws `not_found` or `precondition_failed`. */
export function discardDraft(deps: Foundation, type: DecisionTypeRecord, ifMatch: string | null): void {
  refuseOtherState(deps, type, ifMatch);
  deps.store.transaction(() => {
    deps.store.decisionTypes.update({ ...withDraft(type), draft: null, updatedAt: deps.clock.now() }, false);
    deps.store.authors.clear(type.id, 'draft');
  });
}

/** The settings that a draft can change. */
function readSettings({
  fallbackOption,
  activeVersion: { definition },
}: Pick<DecisionTypeRecord, 'fallbackOption' | 'activeVersion'>): ReleaseSettings {
  const { options: _options, ...settings } = definition;
  return { ...settings, hard_rules: settings.hard_rules.filter(isDeciding), fallback_option: fallbackOption };
}
