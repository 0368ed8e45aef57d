/** Decision types and their versions. */
import { type DecisionType, maxVersionsCharacters } from '../../contract/types/decision-types.ts';
import { restoreVersion } from '../../services/deciding/publishing.ts';
import { prepareDeployedPolicy } from '../../services/policies/deployment.ts';
import { createDecisionType, findVersion, updateDecisionType } from '../../services/types/decision-types.ts';
import { keepDraft } from '../../services/types/drafts.ts';
import { requestClearing } from '../../services/types/personal-data.ts';
import { deleteDecisionType, restoreDecisionType } from '../../services/types/type-deletion.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';
import type { Handlers } from '../context.ts';
import { toPage } from '../pages.ts';
import { listFields, toDecisionType, toVersion } from './decision-type-wire.ts';

function describeNextStep(residue: DecisionType['pii_residue']): string {
  return residue === null || residue.policies.length === 0
    ? 'Nothing else holds values of the personal fields.'
    : 'Train again: the new policy is made without the values. Those named in policies stay in their files, which ' +
        'are exported with their golden inputs redacted, or not at all where they learned such values.';
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
} satisfies Handlers;
