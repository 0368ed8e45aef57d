import { isDeepStrictEqual } from 'node:util';
import { type Definition, type EscalationPolicy, escalationPolicySchema } from '../../engine/domain.ts';
import { type ErrorDetail, WorkbenchError } from '../../engine/errors.ts';
import type { Caller } from '../auth/caller.ts';
import type { DecisionType, DecisionTypeCreate, Version } from '../contract/decision-types.ts';
import { isoTime } from '../process/clock.ts';
import { checkDefinition } from '../services/definition-checks.ts';
import { cancelTrainings } from '../services/training.ts';
import type { DecisionTypeRow, VersionRow } from '../store/decision-types.ts';
import type { Deps, Handlers } from './context.ts';
import { toPage } from './pages.ts';

/** The caller's decision type; throws `decision_type_not_found` for another organisation's as for a missing one. */
export function findDecisionType(deps: Pick<Deps, 'store'>, caller: Caller, id: string): DecisionTypeRow {
  const row = deps.store.decisionTypes.get(id, caller.organisationId);
  if (row === null) throw new WorkbenchError('decision_type_not_found', 'The decision type does not exist.');
  return row;
}

export function toVersion(row: VersionRow): Version {
  return { id: row.id, version_number: row.versionNumber, ...row.definition, created_at: isoTime(row.createdAt) };
}

export function toDecisionType(deps: Deps, row: DecisionTypeRow): DecisionType {
  const deployed = deps.store.deployments.find(row.id);
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    active_version: toVersion(row.activeVersion),
    pii_fields: row.piiFields,
    retention_days: row.retentionDays,
    fallback_option: row.fallbackOption,
    model_deployed: deployed !== null,
    needs_retraining: deployed !== null && !sameSet(deployed.options, row.activeVersion.definition.options),
    created_at: isoTime(row.createdAt),
    updated_at: isoTime(row.updatedAt),
  };
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((option) => b.includes(option));
}

/** `rules` and `hard_rules` are one field; to give both is an error. */
function rulesOf<T>(body: { rules?: T | undefined; hard_rules?: T | undefined }): {
  rules: T | undefined;
  field: 'rules' | 'hard_rules';
} {
  if (body.rules !== undefined && body.hard_rules !== undefined) {
    throw new WorkbenchError('validation_error', 'Request validation failed', [
      { type: 'invalid_value', loc: ['body', 'rules'], msg: 'give either rules or hard_rules' },
    ]);
  }
  return { rules: body.rules ?? body.hard_rules, field: body.rules === undefined ? 'hard_rules' : 'rules' };
}

function refuse(problems: unknown[]): void {
  if (problems.length > 0) throw new WorkbenchError('validation_error', 'Request validation failed', problems);
}

function refuseTakenName(deps: Deps, caller: Caller, name: string, exceptId: string | null): void {
  const holder = deps.store.decisionTypes.byName(name, caller.organisationId);
  if (holder !== null && holder.id !== exceptId) {
    throw new WorkbenchError('conflict', 'A decision type of this name exists already.');
  }
}

/** A live model that may be asked must be connected when that is said; removed later, its calls end in the fallback. */
function connectionProblems(deps: Deps, caller: Caller, policy: EscalationPolicy | undefined): ErrorDetail[] {
  if (policy === undefined || !policy.enabled || policy.connection === null) return [];
  if (deps.store.connections.byName(policy.connection, caller.organisationId) !== null) return [];
  return [
    {
      type: 'unknown_connection',
      loc: ['body', 'escalation_policy', 'connection'],
      msg: `there is no connection named "${policy.connection}"; connect it first, or leave enabled false`,
    },
  ];
}

/** Makes a decision type with its first version; all checks included. */
export async function createDecisionType(
  deps: Deps,
  caller: Caller,
  body: DecisionTypeCreate,
): Promise<DecisionTypeRow> {
  const { rules, field } = rulesOf(body);
  const definition: Definition = {
    options: body.options,
    reason_codes: body.reason_codes,
    hard_rules: rules ?? [],
    input_schema: body.input_schema,
    confidence_thresholds: body.confidence_thresholds,
    escalation_policy: body.escalation_policy,
  };
  refuse([
    ...(await checkDefinition(definition, body.fallback_option, field)),
    ...connectionProblems(deps, caller, body.escalation_policy),
  ]);
  return deps.store.transaction(() => {
    refuseTakenName(deps, caller, body.name, null);
    deps.metering.checkDecisionTypeCount(caller);
    const now = deps.clock.now();
    const id = deps.newId();
    deps.store.decisionTypes.insert({
      id,
      organisationId: caller.organisationId,
      name: body.name,
      description: body.description,
      piiFields: body.pii_fields,
      retentionDays: body.retention_days,
      fallbackOption: body.fallback_option,
      activeVersion: { id: deps.newId(), versionNumber: 1, definition, createdAt: now },
      createdAt: now,
      updatedAt: now,
    });
    return findDecisionType(deps, caller, id);
  });
}

export const decisionTypeHandlers = {
  'decision_types.create': async (deps, { caller, body }) =>
    toDecisionType(deps, await createDecisionType(deps, caller, body)),
  'decision_types.list': (deps, { caller, query }) => {
    const { rows, total } = deps.store.decisionTypes.list(caller.organisationId, query.page, query.page_size);
    return toPage(
      rows.map((row) => toDecisionType(deps, row)),
      total,
      query,
    );
  },
  'decision_types.get': (deps, { caller, params }) =>
    toDecisionType(deps, findDecisionType(deps, caller, params.decision_type_id)),
  'decision_types.update': async (deps, { caller, params, body }) => {
    const { rules, field } = rulesOf(body);
    const merge = (row: DecisionTypeRow) => {
      const before = row.activeVersion.definition;
      const definition: Definition = {
        options: body.options ?? before.options,
        reason_codes: body.reason_codes ?? before.reason_codes,
        hard_rules: rules ?? before.hard_rules,
        input_schema: body.input_schema === undefined ? before.input_schema : body.input_schema,
        confidence_thresholds: body.confidence_thresholds ?? before.confidence_thresholds,
        escalation_policy: body.escalation_policy ?? escalationPolicySchema.parse(before.escalation_policy),
      };
      return {
        definition,
        changed: !isDeepStrictEqual(definition, before),
        fallbackOption: body.fallback_option === undefined ? row.fallbackOption : body.fallback_option,
      };
    };
    const seen = findDecisionType(deps, caller, params.decision_type_id);
    const wished = merge(seen);
    refuse([
      ...(await checkDefinition(wished.definition, wished.fallbackOption, field)),
      ...connectionProblems(deps, caller, body.escalation_policy),
    ]);
    deps.store.transaction(() => {
      const row = findDecisionType(deps, caller, params.decision_type_id);
      if (row.activeVersion.id !== seen.activeVersion.id) {
        throw new WorkbenchError('conflict', 'The decision type was changed meanwhile; read it again.');
      }
      if (body.name !== undefined) refuseTakenName(deps, caller, body.name, row.id);
      const { definition, changed, fallbackOption } = merge(row);
      const now = deps.clock.now();
      deps.store.decisionTypes.update(
        {
          ...row,
          name: body.name ?? row.name,
          description: body.description ?? row.description,
          piiFields: body.pii_fields ?? row.piiFields,
          retentionDays: body.retention_days === undefined ? row.retentionDays : body.retention_days,
          fallbackOption,
          activeVersion: changed
            ? {
                id: deps.newId(),
                versionNumber: row.activeVersion.versionNumber + 1,
                definition,
                createdAt: now,
              }
            : row.activeVersion,
          updatedAt: now,
        },
        changed,
      );
    });
    return toDecisionType(deps, findDecisionType(deps, caller, params.decision_type_id));
  },
  'decision_types.delete': (deps, { caller, params }) => {
    const row = findDecisionType(deps, caller, params.decision_type_id);
    cancelTrainings(deps, row.id);
    deps.store.decisionTypes.remove(row.id, deps.clock.now());
  },
  'versions.list': (deps, { caller, params }) =>
    deps.store.decisionTypes.versions(findDecisionType(deps, caller, params.decision_type_id).id).map(toVersion),
  'versions.get': (deps, { caller, params }) => {
    const row = findDecisionType(deps, caller, params.decision_type_id);
    const version = deps.store.decisionTypes.version(row.id, params.version_id);
    if (version === null) throw new WorkbenchError('not_found', 'The version does not exist.');
    return toVersion(version);
  },
} satisfies Handlers<
  | 'decision_types.create'
  | 'decision_types.list'
  | 'decision_types.get'
  | 'decision_types.update'
  | 'decision_types.delete'
  | 'versions.list'
  | 'versions.get'
>;
