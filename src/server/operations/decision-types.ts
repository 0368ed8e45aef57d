/** Decision types and their versions. */
import {
  createDecisionType,
  deleteDecisionType,
  findDecisionType,
  findVersion,
  updateDecisionType,
} from '../services/decision-types.ts';
import type { Handlers } from './context.ts';
import { toDecisionType, toVersion } from './decision-type-wire.ts';
import { toPage } from './pages.ts';

export const decisionTypeHandlers = {
  'decision_types.create': async (deps, { caller, body }) =>
    toDecisionType(deps, await createDecisionType(deps, caller, body)),

  'decision_types.list': (deps, { caller, query }) => {
    const { types, total } = deps.store.decisionTypes.page(caller.organisationId, query.page, query.page_size);
    return toPage(
      types.map((type) => toDecisionType(deps, type)),
      total,
      query,
    );
  },

  'decision_types.get': (deps, { caller, params }) =>
    toDecisionType(deps, findDecisionType(deps, caller, params.decision_type_id)),

  'decision_types.update': async (deps, { caller, params, body }) =>
    toDecisionType(deps, await updateDecisionType(deps, caller, params.decision_type_id, body)),

  'decision_types.delete': (deps, { caller, params }) => deleteDecisionType(deps, caller, params.decision_type_id),

  'versions.list': (deps, { caller, params }) =>
    deps.store.decisionTypes.listVersions(findDecisionType(deps, caller, params.decision_type_id).id).map(toVersion),

  'versions.get': (deps, { caller, params }) =>
    toVersion(findVersion(deps, caller, params.decision_type_id, params.version_id)),
} satisfies Handlers<
  | 'decision_types.create'
  | 'decision_types.list'
  | 'decision_types.get'
  | 'decision_types.update'
  | 'decision_types.delete'
  | 'versions.list'
  | 'versions.get'
>;
