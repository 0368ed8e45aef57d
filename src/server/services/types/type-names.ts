/** Names of types and what speaks against a setting of one. */
import { refuseProblems, toInvalidValue, toUnknownOption } from '../../../door/errors/validation-error.ts';
import type { Costs } from '../../../engine/costs.ts';
import type { Definition, EscalationPolicy } from '../../../engine/domain/definition.ts';
import { toSkeleton } from '../../../engine/domain/look-alikes.ts';
import { describeNameFault, toName } from '../../../engine/domain/names.ts';
import { type ErrorDetail, WorkbenchError } from '../../../engine/errors.ts';
import { isJsonObject, type Json } from '../../../engine/json.ts';
import { limits } from '../../../engine/limits.ts';
import type { GroupSetting } from '../../../engine/report/groups.ts';
import type { Caller } from '../../auth/caller.ts';
import { anyModelNames } from '../../contract/deciding/decision-models.ts';
import type { AuditSetting } from '../../contract/types/decision-types.ts';
import type { Foundation } from '../../foundation.ts';
import type { DecisionTypeRecord } from '../../store/types/decision-types.ts';

const takenNames: readonly string[] = ['.', '..', ...anyModelNames];
/** Characters that are left for a number behind a proposed name. */
const longestSuffix = 8;

/** Says why a type cannot be called so; null where it can. */
function describeTypeNameFault(name: string): string | null {
  if (name.includes('@')) return 'must not hold @, behind which callers name a release';
  if (takenNames.includes(name)) return `must not be ${JSON.stringify(name)}, which means something else to callers`;
  return describeNameFault(name);
}

/**
 * Throws `conflict` where another type of the organisation has a name, or one that looks like it, and
 * `validation_error` where no type can be called so; one that is `already` called so can.
 */
export function refuseTypeName(
  { store }: Pick<Foundation, 'store'>,
  { organisationId }: Pick<Caller, 'organisationId'>,
  name: string,
  already: Pick<DecisionTypeRecord, 'id' | 'name'> | null = null,
): void {
  const fault = name === already?.name ? null : describeTypeNameFault(name);
  if (fault !== null) refuseProblems([toInvalidValue(['body', 'name'], fault)]);
  const twin = findTwin({ store }, organisationId, name, already?.id ?? null);
  if (twin === null) return;
  const how = twin === name ? 'exists already' : 'looks the same';
  const message = `The decision type ${JSON.stringify(twin)} ${how}: take another name, or rename that one.`;
  throw new WorkbenchError('conflict', message);
}

/** The name of another type of an organisation that is the same by sight, first one that is the same; or null. */
function findTwin(
  { store }: Pick<Foundation, 'store'>,
  organisationId: string,
  name: string,
  exceptId: string | null,
): string | null {
  const look = toSkeleton(name);
  const alike = store.decisionTypes
    .listLookingLike(name, organisationId)
    .filter((type) => type.id !== exceptId && toSkeleton(type.name) === look);
  return (alike.find((type) => type.name === name) ?? alike[0])?.name ?? null;
}

/** Lists what is wrong with the names of rules and fields in a definition that it did not have `before`. */
export function listNameProblems(
  { hard_rules, input_schema }: Pick<Definition, 'hard_rules' | 'input_schema'>,
  before: Pick<Definition, 'hard_rules' | 'input_schema'> | null,
  rulesField: 'rules' | 'hard_rules' = 'hard_rules',
): ErrorDetail[] {
  const known = new Set([...(before?.hard_rules.map(({ name }) => name) ?? []), ...listFields(before?.input_schema)]);
  const list = (name: string, loc: ErrorDetail['loc']) => {
    const fault = known.has(name) ? null : describeNameFault(name);
    return fault === null ? [] : [toInvalidValue(loc, fault)];
  };
  return [
    ...hard_rules.flatMap(({ name }, index) => list(name, ['body', rulesField, index, 'name'])),
    ...listFields(input_schema).flatMap((name) => list(name, ['body', 'input_schema', name])),
  ];
}

/** The names of the fields that an input schema describes, at any depth. */
function listFields(schema: Json | undefined): string[] {
  if (Array.isArray(schema)) return schema.flatMap(listFields);
  if (!isJsonObject(schema)) return [];
  const { properties } = schema;
  const own = isJsonObject(properties) ? Object.keys(properties) : [];
  return [...own, ...Object.values(schema).flatMap(listFields)];
}

/** Says why the name of a type from before names were checked should change, with another; null of any other type. */
export function describeOldName(deps: Pick<Foundation, 'store'>, type: DecisionTypeRecord): string | null {
  const { id, name, organisationId } = type;
  const fault = describeTypeNameFault(name);
  const twin = findTwin(deps, organisationId, name, id);
  if (fault === null && twin === null) return null;
  const why = fault ?? `looks like ${JSON.stringify(twin)}`;
  return `The name ${why}. Rename the type, for example to ${JSON.stringify(proposeName(deps, type))}.`;
}

function proposeName(deps: Pick<Foundation, 'store'>, { id, name, organisationId }: DecisionTypeRecord): string {
  const signs = [...toName(name.replaceAll('@', ' at '))];
  const base = signs.slice(0, limits.maxTypeNameLength - longestSuffix).join('');
  for (let number = 1; ; number += 1) {
    const proposed = number === 1 ? base : `${base} ${number}`.trim();
    const isFree = proposed !== '' && findTwin(deps, organisationId, proposed, id) === null;
    if (isFree && describeTypeNameFault(proposed) === null) return proposed;
  }
}

/** Lists an enabled escalation's connection if there is none; if it goes later, calls end in the fallback. */
export function listConnectionProblems(
  deps: Foundation,
  caller: Caller,
  policy: EscalationPolicy | undefined,
): ErrorDetail[] {
  if (policy === undefined || !policy.enabled || policy.connection === null) return [];
  if (deps.store.connections.getByName(policy.connection, caller.organisationId) !== null) return [];
  return [
    {
      type: 'unknown_connection',
      loc: ['body', 'escalation_policy', 'connection'],
      msg: `there is no connection named "${policy.connection}"; connect it first, or leave enabled false`,
    },
  ];
}

/** Decisions drawn when a week ends must stay in the log until then, and some time after for judging. */
const minDaysForWeeks = 14;

/** Lists why an audit by weeks cannot draw from a log that is kept this long. */
export function listAuditProblems(audit: AuditSetting | null, retentionDays: number | null): ErrorDetail[] {
  if (audit?.per_week === undefined || retentionDays === null || retentionDays >= minDaysForWeeks) return [];
  const problem = `draws from whole weeks, which takes a log that is kept for ${minDaysForWeeks} days or more`;
  return [toInvalidValue(['body', 'audit', 'per_week'], problem)];
}

/** Lists pairs of costs that name no option, or two options twice. */
export function listCostProblems(costs: Costs | null | undefined, options: readonly string[]): ErrorDetail[] {
  const known = new Set(options);
  const seen = new Set<string>();
  return (costs?.pairs ?? []).flatMap((pair, index) => {
    const loc = ['body', 'costs', 'pairs', index];
    const unknown = (['right', 'decided'] as const).filter((field) => !known.has(pair[field]));
    const key = JSON.stringify([pair.right, pair.decided]);
    const isRepeated = seen.has(key);
    seen.add(key);
    return [
      ...unknown.map((field) => toUnknownOption([...loc, field], options)),
      ...(isRepeated ? [toInvalidValue(loc, 'names the same two options as an earlier pair')] : []),
    ];
  });
}

/** Lists a favoured option that the type does not have. */
export function listGroupProblems(groups: GroupSetting | null | undefined, options: readonly string[]): ErrorDetail[] {
  const isKnown = groups?.favoured == null || options.includes(groups.favoured);
  return isKnown ? [] : [toUnknownOption(['body', 'groups', 'favoured'], options)];
}
