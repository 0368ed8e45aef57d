/** Decision types and versions as the wire has them. */

import { mapMaybePromise } from '../../../door/maybe-promise.ts';
import { toCallerId } from '../../auth/caller.ts';
import type { OutputOf } from '../../contract/operations.ts';
import { type DecisionType, maxVersionsCharacters, type Version } from '../../contract/types/decision-types.ts';
import type { Draft } from '../../contract/types/drafts.ts';
import { isoTime } from '../../process/clock.ts';
import { hasSameOptions } from '../../runtime/current-settings.ts';
import { assessDraft, compileDraft, findDraftPolicy, restoreVersion } from '../../services/deciding/publishing.ts';
import { type Replay, replayNewest } from '../../services/deciding/replay.ts';
import { prepareDeployedPolicy } from '../../services/policies/deployment.ts';
import { readTypePromise } from '../../services/policies/type-promises.ts';
import {
  createDecisionType,
  findVersion,
  refuseOtherState,
  toTypeTag,
  updateDecisionType,
} from '../../services/types/decision-types.ts';
import {
  type DraftedType,
  describeDraft,
  discardDraft,
  keepDraft,
  listConflicts,
  readChanges,
  withDraft,
} from '../../services/types/drafts.ts';
import {
  deleteOption,
  mergeOption,
  type OptionChanged,
  renameOption,
  undoOptionChange,
} from '../../services/types/option-changes.ts';
import { findResidue, type PersonalResidue, requestClearing } from '../../services/types/personal-data.ts';
import { analyseRules } from '../../services/types/rules-analysis.ts';
import { deleteDecisionType, restoreDecisionType } from '../../services/types/type-deletion.ts';
import { describeOldName } from '../../services/types/type-names.ts';
import type { DecisionTypeRecord, VersionRecord } from '../../store/types/decision-types.ts';
import { type Deps, type Handlers, toPage } from '../context.ts';

/** A version of a decision type in the contract's form. */
function toVersion(version: VersionRecord): Version {
  return {
    id: version.id,
    version_number: version.versionNumber,
    ...version.definition,
    created_at: isoTime(version.createdAt),
  };
}

/** A decision type as the wire has it, with how its promise and its deployed policy stand. */
export function toDecisionType(deps: Deps, type: DecisionTypeRecord): DecisionType {
  const deployed = deps.store.deployments.find(type.id);
  const promised = readTypePromise(deps, type);
  const isPromised = promised.state === 'kept' || promised.state === 'not_kept';
  const policy = isPromised && deployed !== null ? deps.store.policies.byId(deployed.id) : null;
  const reason = deployed === null ? null : deps.runtime.deployed.findUnavailability(deployed.id);
  return {
    id: type.id,
    name: type.name,
    name_notice: describeOldName(deps, type),
    description: type.description,
    active_version: toVersion(type.activeVersion),
    pii_fields: type.piiFields,
    pii_residue: toResidue(findResidue(deps, type)),
    retention_days: type.retentionDays,
    audit: type.audit,
    fallback_option: type.fallbackOption,
    costs: type.costs,
    one_case: type.oneCase,
    groups: type.groups,
    publish_by_hand: type.publishing !== 'at_once',
    publish_by_another: type.publishing === 'by_another',
    draft: type.draft && toDraft({ ...type, draft: type.draft }),
    model_deployed: deployed !== null,
    availability: deployed === null ? null : { state: reason === null ? 'available' : 'unavailable', reason },
    needs_retraining:
      deployed !== null &&
      (!hasSameOptions(deployed.options, type.activeVersion.definition.options) ||
        deps.runtime.deployed.needsRetraining(deployed.id)),
    promise: policy === null ? null : deps.promiseChecks.read(type, policy),
    declared_promise: promised.state === 'nothing_promised' ? null : promised,
    better_policy: deps.store.policies.findBetter(type.id),
    etag: toTypeTag(deps, type),
    created_at: isoTime(type.createdAt),
    updated_at: isoTime(type.updatedAt),
  };
}

/** The draft of a type as the wire has it. */
function toDraft(type: DraftedType): Draft {
  const { by, updatedAt } = type.draft;
  return {
    settings: readChanges(type),
    changes: describeDraft(type),
    conflicts: listConflicts(type),
    by,
    updated_at: isoTime(updatedAt),
  };
}

/** Lists what the deployed policy of a type reads; null without one, or while it cannot be loaded. */
function listFields({ store, runtime }: Deps, type: DecisionTypeRecord): OutputOf<'decision_types.get'>['fields'] {
  const policy = store.deployments.find(type.id);
  const fields = policy === null ? null : runtime.deployed.listFields(type, policy);
  if (fields === null) return null;
  return fields.map((field) => ({ ...field, path: field.path.join('.'), range: field.range?.map(String) ?? null }));
}

function toResidue(residue: PersonalResidue | null): DecisionType['pii_residue'] {
  return residue && { policies: residue.policies, log_records: residue.logRecords, clearing: residue.isClearing };
}

function describeNextStep(residue: DecisionType['pii_residue']): string {
  return residue === null || residue.policies.length === 0
    ? 'Nothing else holds values of the personal fields.'
    : 'Train again: the new policy is made without the values. Those named in policies stay in their files, which ' +
        'are exported with their golden inputs redacted, or not at all where they learned such values.';
}

function countChanges({ differing }: Replay) {
  const groups = Map.groupBy(differing, ({ deployed, replayed }) =>
    JSON.stringify([deployed.decision, replayed.decision]),
  );
  return [...groups.values()]
    .flatMap((rows) => {
      const [first] = rows;
      return first ? [{ from: first.deployed.decision, to: first.replayed.decision, decisions: rows.length }] : [];
    })
    .sort((a, b) => b.decisions - a.decisions);
}

function toAnswer(deps: Deps, { touches, type, undoToken }: OptionChanged) {
  return {
    committed: undoToken !== null,
    touches: {
      examples: touches.examples,
      rules: touches.rules,
      fallback_option: touches.isFallback,
      deployed_policy: touches.isInDeployedPolicy,
    },
    decision_type: toDecisionType(deps, type),
    undo_token: undoToken,
  };
}

export const decisionTypeHandlers = {
  'decision_types.create': async (deps, { caller, body, receipt }) => {
    const keep = (type: DecisionTypeRecord) => receipt?.keep(toDecisionType(deps, type));
    return toDecisionType(deps, await createDecisionType(deps, caller, body, keep));
  },

  'decision_types.list': (deps, { caller, query }) => {
    const { types, total } = deps.store.decisionTypes.page(caller.organisationId, query.page, query.page_size);
    return toPage(
      types.map((type) => toDecisionType(deps, type)),
      total,
      query,
    );
  },

  'decision_types.get': (deps, { type, query }) =>
    query.fields ? { ...toDecisionType(deps, type), fields: listFields(deps, type) } : toDecisionType(deps, type),

  'decision_types.update': async (deps, { caller, params, body: { draft, reason, ...body }, ifMatch }) => {
    const { decision_type_id: id } = params;
    const written = draft
      ? keepDraft(deps, caller, id, body, ifMatch)
      : updateDecisionType(deps, caller, id, body, { ifMatch, note: { reason } });
    return toDecisionType(deps, await written);
  },

  'decision_types.delete': (deps, { caller, params, ifMatch }) =>
    deleteDecisionType(deps, caller, params.decision_type_id, ifMatch),

  'decision_types.restore': async (deps, { caller, params }) => {
    const type = restoreDecisionType(deps, caller, params.decision_type_id);
    const policy = deps.store.deployments.find(type.id);
    if (policy !== null) await prepareDeployedPolicy(deps, policy.id);
    return toDecisionType(deps, type);
  },

  'pii_residue.clear': (deps, { type }) => {
    requestClearing(deps, type);
    const answer = toDecisionType(deps, type);
    return { decision_type: answer, next: describeNextStep(answer.pii_residue) };
  },

  'versions.list': (deps, { type }) =>
    deps.store.decisionTypes.listVersions(type.id, maxVersionsCharacters).map(toVersion),

  'versions.get': (deps, { caller, params }) =>
    toVersion(findVersion(deps, caller, params.decision_type_id, params.version_id)),

  'versions.restore': async (deps, { caller, type, params: { version_id: versionId }, body: { reason }, ifMatch }) =>
    toDecisionType(deps, await restoreVersion(deps, caller, type, { versionId, reason, ifMatch })),

  'drafts.get': async (deps, { caller, type: found, query }) => {
    const type = withDraft(found);
    const effect = await assessDraft(deps, caller, type);
    const policy = query.logged === 0 ? null : findDraftPolicy(deps, type);
    const replay = policy && (await replayNewest(deps, type, compileDraft(deps, type, policy), query.logged));
    return {
      ...toDraft(type),
      ...effect,
      logged: replay && { rows: replay.rows, refused: replay.refused, changed: countChanges(replay) },
      etag: toTypeTag(deps, type),
    };
  },

  'drafts.put': async (deps, { caller, type, body, ifMatch }) => {
    const { draft, ...drafted } = await keepDraft(deps, caller, type.id, body, ifMatch);
    return draft && toDraft({ ...drafted, draft });
  },

  'drafts.delete': (deps, { type, ifMatch }) => discardDraft(deps, type, ifMatch),

  'options.rename': (deps, { caller, type, body, ifMatch }) => {
    refuseOtherState(deps, type, ifMatch);
    return mapMaybePromise(renameOption(deps, caller, type.id, body), (changed) => toAnswer(deps, changed));
  },

  'options.merge': (deps, { caller, type, body, ifMatch }) => {
    refuseOtherState(deps, type, ifMatch);
    return mapMaybePromise(mergeOption(deps, caller, type.id, body), (changed) => toAnswer(deps, changed));
  },

  'options.delete': (deps, { caller, type, body, ifMatch }) => {
    refuseOtherState(deps, type, ifMatch);
    return mapMaybePromise(deleteOption(deps, caller, type.id, body), (changed) => toAnswer(deps, changed));
  },

  'options.undo': (deps, { caller, type: seen, body, ifMatch }) => {
    refuseOtherState(deps, seen, ifMatch);
    return mapMaybePromise(undoOptionChange(deps, caller, seen.id, body.undo_token), ({ affected, type }) => ({
      affected,
      decision_type: toDecisionType(deps, type),
    }));
  },

  'rules.check': (deps, { body, caller }) => deps.preparation.runAdmitted(toCallerId(caller), 'checkRules', body),
  'rules.analyse': (deps, { type, body, caller }) => analyseRules(deps, toCallerId(caller), type, body),
  'rules.propose': async (deps, { type, query }) => {
    // The language of the rules is loaded with the first question about it: it would delay every start.
    const { proposeRulesFor } = await import('../../services/types/rule-proposals.ts');
    return proposeRulesFor(deps, type, query.min_precision);
  },
} satisfies Handlers;
