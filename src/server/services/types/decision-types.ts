/** Decision types: found for their organisation, made, changed into new versions, deleted. */
import { isDeepStrictEqual } from 'node:util';
import { readPart } from '../../../door/errors/parse-part.ts';
import { refuseProblems, toInvalidValue, toValidationError } from '../../../door/errors/validation-error.ts';
import { nextTurn } from '../../../door/turns.ts';
import { keepCostOptions } from '../../../engine/costs.ts';
import { type Definition, escalationPolicySchema } from '../../../engine/domain/definition.ts';
import { type ErrorDetail, WorkbenchError } from '../../../engine/errors.ts';
import { isPiiField } from '../../../engine/pii.ts';
import { replaceThresholdOption } from '../../../engine/thresholds.ts';
import { type Caller, toCallerId } from '../../auth/caller.ts';
import {
  type DecisionTypeCreate,
  type DecisionTypeUpdate,
  decisionTypeUpdateSchema,
} from '../../contract/types/decision-types.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime } from '../../process/clock.ts';
import {
  type DecisionTypeRecord,
  type Publishing,
  publishings,
  type VersionRecord,
} from '../../store/types/decision-types.ts';
import { doByTwo } from '../authors.ts';
import { type ChangeNote, noteChange, readContent } from '../releases.ts';
import { isCovered } from './personal-data.ts';
import {
  listAuditProblems,
  listConnectionProblems,
  listCostProblems,
  listGroupProblems,
  listNameProblems,
  refuseTypeName,
} from './type-names.ts';

/** Returns the caller's decision type; throws `decision_type_not_found`, also for another organisation's. */
export function findDecisionType(deps: Foundation, caller: Caller, id: string): DecisionTypeRecord {
  return deps.store.decisionTypes.get(id, caller.organisationId) ?? refuseMissingType();
}

/** As `findDecisionType`, by name. Costs a look-up in memory, and gives the same object until a type changes. */
export function findDecisionTypeByName(deps: Foundation, caller: Caller, name: string): DecisionTypeRecord {
  const found = deps.store.decisionTypes.getByName(name, caller.organisationId);
  if (found !== null) return found;
  const meant = deps.store.decisionTypes.get(name.toLowerCase(), caller.organisationId);
  const [alike] = deps.store.decisionTypes.listLookingLike(name, caller.organisationId);
  const hint = meant
    ? `This is the id of ${JSON.stringify(meant.name)}: name it so.`
    : alike
      ? `Names count every capital letter: one is called ${JSON.stringify(alike.name)}.`
      : 'Names count every capital letter.';
  throw new WorkbenchError('decision_type_not_found', `The decision type does not exist. ${hint}`);
}

/** The ETag of a type's editable state. */
export function toTypeTag({ sha256 }: Pick<Foundation, 'sha256'>, type: DecisionTypeRecord): string {
  const state = JSON.stringify({ ...type, activeVersion: type.activeVersion.id });
  return `"${sha256(Buffer.from(state)).slice(0, 32)}"`;
}

/** When a type was changed last, and by whom where that is known: of names, costs and the like it is not kept. */
function findLastChange({ store }: Foundation, { id, updatedAt, draft }: DecisionTypeRecord): string {
  const release = store.releases.findNewest(id);
  const isOfRelease = release !== null && !release.isDeployment && release.madeAt >= updatedAt;
  const settled = { by: isOfRelease ? release.by : null, at: updatedAt };
  const { by, at } = draft !== null && draft.updatedAt >= updatedAt ? { by: draft.by, at: draft.updatedAt } : settled;
  return `${by ?? 'Somebody'} has changed the decision type since you read it, at ${isoTime(at).slice(0, 16).replace('T', ' ')} UTC.`;
}

/** Throws `precondition_failed` where If-Match names another state of a type. */
export function refuseOtherState(deps: Foundation, type: DecisionTypeRecord, ifMatch: string | null): void {
  if (ifMatch === null) return;
  const named = ifMatch.split(',').map((tag) => tag.trim());
  if (named.includes('*') || named.includes(toTypeTag(deps, type))) return;
  throw new WorkbenchError(
    'precondition_failed',
    `${findLastChange(deps, type)} Nothing was changed: read it again and repeat your change.`,
  );
}

/** Throws `conflict` where a type is not as it was seen any more: in a transaction, after something was waited for. */
export function refuseChangedMeanwhile(deps: Foundation, now: DecisionTypeRecord, seen: DecisionTypeRecord): void {
  if (toTypeTag(deps, now) !== toTypeTag(deps, seen)) refuseChanged();
}

function refuseChanged(): never {
  const remedy = 'Read it again and repeat the call.';
  throw new WorkbenchError('conflict', `The decision type was changed meanwhile, so nothing was written. ${remedy}`);
}

function refuseMissingType(): never {
  throw new WorkbenchError('decision_type_not_found', 'The decision type does not exist.');
}

/** Returns a version of the caller's decision type; throws `not_found`. */
export function findVersion(deps: Foundation, caller: Caller, typeId: string, versionId: string): VersionRecord {
  const version = deps.store.decisionTypes.getVersion(findDecisionType(deps, caller, typeId).id, versionId);
  if (version === null) throw new WorkbenchError('not_found', 'The version does not exist.');
  return version;
}

/** Checks a new decision type and gives its definition. Throws `validation_error` with every problem. */
export async function checkNewDecisionType(
  deps: Foundation,
  caller: Caller,
  request: DecisionTypeCreate,
): Promise<Definition> {
  const { rules, field } = readRules(request);
  const definition: Definition = {
    options: request.options,
    reason_codes: request.reason_codes,
    hard_rules: rules ?? [],
    lists: request.lists,
    readings: request.readings,
    input_schema: request.input_schema,
    confidence_thresholds: request.confidence_thresholds,
    escalation_policy: request.escalation_policy,
  };
  refuseProblems([
    ...(await listDefinitionProblems(deps, caller, definition, request.fallback_option, field, null)),
    ...listConnectionProblems(deps, caller, request.escalation_policy),
    ...listCostProblems(request.costs, definition.options),
    ...listGroupProblems(request.groups, definition.options),
    ...listAuditProblems(request.audit, request.retention_days),
  ]);
  return definition;
}

/** Stores a decision type with a checked definition as its first version, all of it or nothing. */
export function insertDecisionType(
  deps: Foundation,
  caller: Caller,
  request: DecisionTypeCreate,
  definition: Definition,
  id = deps.newId(),
): DecisionTypeRecord {
  return deps.store.transaction(() => {
    refuseAnother(deps, caller, request.name);
    const now = deps.clock.now();
    deps.store.decisionTypes.insert({
      id,
      organisationId: caller.organisationId,
      name: request.name,
      description: request.description,
      piiFields: request.pii_fields,
      retentionDays: request.retention_days,
      fallbackOption: request.fallback_option,
      costs: request.costs,
      oneCase: request.one_case,
      groups: request.groups,
      audit: request.audit,
      draft: null,
      publishing: choosePublishing(request),
      activeVersion: { id: deps.newId(), versionNumber: 1, definition, createdAt: now },
      createdAt: now,
      updatedAt: now,
    });
    return findDecisionType(deps, caller, id);
  });
}

/** Makes a decision type, with the writes of `alongside`. Throws `validation_error`, `conflict` or `quota_exceeded`. */
export async function createDecisionType(
  deps: Foundation,
  caller: Caller,
  request: DecisionTypeCreate,
  alongside?: (type: DecisionTypeRecord) => void,
): Promise<DecisionTypeRecord> {
  const definition = await checkNewDecisionType(deps, caller, request);
  return deps.store.transaction(() => {
    const type = insertDecisionType(deps, caller, request, definition);
    alongside?.(type);
    return type;
  });
}

export type Change = { request: DecisionTypeUpdate; seen: DecisionTypeRecord; next: DecisionTypeRecord };

function planChange(deps: Foundation, seen: DecisionTypeRecord, request: DecisionTypeUpdate): Change {
  const before = seen.activeVersion.definition;
  const definition = mergeDefinition(before, request);
  const at = deps.clock.now();
  const isKept = isDeepStrictEqual(definition, before);
  const version = isKept ? seen.activeVersion : toNextVersion(deps, seen, definition, at);
  return { request, seen, next: applyRequest(seen, request, version, at) };
}

/** A type with what a request names, and with `version` in place of its own. */
function applyRequest(
  type: DecisionTypeRecord,
  request: DecisionTypeUpdate,
  version: VersionRecord,
  updatedAt: number,
): DecisionTypeRecord {
  const { fallback_option, retention_days, audit, costs, one_case, groups } = request;
  return {
    ...type,
    name: request.name ?? type.name,
    description: request.description ?? type.description,
    piiFields: request.pii_fields ?? type.piiFields,
    retentionDays: retention_days === undefined ? type.retentionDays : retention_days,
    fallbackOption: fallback_option === undefined ? type.fallbackOption : fallback_option,
    // Removing an option removes its costs.
    costs: costs === undefined ? type.costs && keepCostOptions(type.costs, version.definition.options) : costs,
    oneCase: one_case === undefined ? type.oneCase : one_case,
    groups: groups === undefined ? type.groups : groups,
    audit: audit === undefined ? type.audit : audit,
    publishing: choosePublishing(request, type),
    activeVersion: version,
    updatedAt,
  };
}

/** Changes the fields that the request names. Throws `validation_error`, `conflict` or `precondition_failed`. */
export async function updateDecisionType(
  deps: Foundation,
  caller: Caller,
  id: string,
  request: DecisionTypeUpdate,
  { ifMatch = null, note }: { ifMatch?: string | null; note?: ChangeNote } = {},
): Promise<DecisionTypeRecord> {
  refuseOtherState(deps, findDecisionType(deps, caller, id), ifMatch);
  const change = await checkUpdate(deps, caller, id, request);
  refuseUnpublished(deps, change);
  await prepareRelease(deps, change);
  const write = (switched: readonly string[]) =>
    deps.store.transaction(() => {
      refuseOtherState(deps, findDecisionType(deps, caller, id), ifMatch);
      return writeUpdate(deps, caller, change, { reason: null, ...note, switched });
    });
  const { act, sentences } = findSwitches(change);
  if (act === null) return write(sentences);
  return doByTwo(deps, caller, change.seen, act, (first) =>
    write(first === null ? sentences : [...sentences, `Asked for by ${first.name ?? 'somebody'} before.`]),
  );
}

/** Finds which guards of a type a change takes away, in sentences, and for which of them two hands have to ask. */
function findSwitches({ seen, next }: Change): { act: object | null; sentences: string[] } {
  const hasOtherAudit = seen.audit !== null && !isDeepStrictEqual(next.audit, seen.audit);
  const isLooser = publishings.indexOf(next.publishing) < publishings.indexOf(seen.publishing);
  const sentences = [
    ...(isLooser && seen.publishing === 'by_another' ? ['Whoever wrote a draft may publish it from now on.'] : []),
    ...(isLooser && next.publishing === 'at_once' ? ['Changes decide at once from now on, without a draft.'] : []),
    ...(hasOtherAudit && seen.publishing === 'by_another'
      ? ['Other decisions, or none, are drawn for the audit.']
      : []),
  ];
  const act = {
    ...(isLooser && { publishing: next.publishing }),
    ...(hasOtherAudit && { audit: next.audit }),
    // Under the former name another type could answer.
    ...(next.name !== seen.name && { name: next.name }),
  };
  return { act: Object.keys(act).length === 0 ? null : act, sentences };
}

/** Compiles the rules and the digest of a change before it is written, in turns with others. */
async function prepareRelease(deps: Foundation, { seen, next }: Change): Promise<void> {
  const policyId = deps.store.deployments.findId(seen.id);
  if (policyId === null || next.activeVersion === seen.activeVersion) return;
  deps.runtime.deployed.compileRules(next.activeVersion);
  await nextTurn();
  readContent(deps, next, policyId);
  await nextTurn();
}

/** How changes of what decides come to decide: as asked for, else as before; `publish_by_another` asks for both. */
function choosePublishing(
  { publish_by_hand: byHand, publish_by_another: byAnother }: DecisionTypeUpdate,
  { publishing }: Pick<DecisionTypeRecord, 'publishing'> = { publishing: 'at_once' },
): Publishing {
  if (!(byHand || byAnother || (byHand === undefined && publishing !== 'at_once'))) return 'at_once';
  return (byAnother ?? publishing === 'by_another') ? 'by_another' : 'by_hand';
}

/** Throws `conflict` where a request changes what decides of a type whose changes are published by hand. */
function refuseUnpublished({ store }: Foundation, { seen, next }: Change): void {
  if (next.publishing === 'at_once' || store.deployments.find(seen.id) === null) return;
  if (isDeepStrictEqual(readDeciding(next), readDeciding(seen)) && next.fallbackOption === seen.fallbackOption) return;
  throw new WorkbenchError(
    'conflict',
    'Changes to this type are published manually. Send the change with draft: true, then publish the draft.',
  );
}

/** The settings that decide beside the options: all but the hints among the rules. */
function readDeciding({ activeVersion: { definition } }: DecisionTypeRecord) {
  const { options: _options, hard_rules: rules, ...others } = definition;
  return { ...others, rules: rules.filter(({ hint }) => hint !== true) };
}

/** Checks a change of a decision type and gives it for `writeUpdate`; throws `validation_error`. */
export async function checkUpdate(
  deps: Foundation,
  caller: Caller,
  id: string,
  request: DecisionTypeUpdate,
): Promise<Change> {
  const { field } = readRules(request);
  const change = planChange(deps, findDecisionType(deps, caller, id), request);
  const { seen, next } = change;
  const { definition } = next.activeVersion;
  const before = seen.activeVersion.definition;
  refuseProblems([
    ...(await listDefinitionProblems(deps, caller, definition, next.fallbackOption, field, before)),
    ...listConnectionProblems(deps, caller, request.escalation_policy),
    ...listCostProblems(request.costs, definition.options),
    ...listGroupProblems(request.groups, definition.options),
    ...listAuditProblems(next.audit, next.retentionDays),
  ]);
  return change;
}

/** Names that an import brings to a decision type. */
export type BroughtNames = Pick<Definition, 'options' | 'reason_codes' | 'readings'> & {
  pii_fields: readonly string[];
};

/** The request that adds to a type what it lacks of the names that an import brings; its own readings stay. */
export function toAdditions(
  { activeVersion, piiFields }: DecisionTypeRecord,
  brought: BroughtNames,
): DecisionTypeUpdate {
  const { options, reason_codes, readings } = activeVersion.definition;
  const extend = (known: readonly string[], more: readonly string[]) =>
    more.length > 0 ? [...new Set([...known, ...more])] : undefined;
  return readPart(decisionTypeUpdateSchema, {
    options: extend(options, brought.options),
    reason_codes: extend(reason_codes, brought.reason_codes),
    readings: { ...brought.readings, ...readings },
    pii_fields: extend(
      piiFields,
      brought.pii_fields.filter((field) => !isPiiField([field], piiFields)),
    ),
  });
}

/** Adds what an import found out about fields: readings that the type lacked, and personal ones. As `writeUpdate`. */
export function addFieldFacts(
  deps: Foundation,
  caller: Caller,
  id: string,
  facts: Pick<BroughtNames, 'readings' | 'pii_fields'>,
): void {
  const seen = findDecisionType(deps, caller, id);
  const known = seen.activeVersion.definition.readings;
  const isOther = ([name, reading]: [string, unknown]) =>
    Object.hasOwn(known, name) && !isDeepStrictEqual(known[name], reading);
  if (Object.entries(facts.readings).some(isOther))
    throw new WorkbenchError('conflict', 'The type reads its fields otherwise meanwhile. Import the file again.');
  const additions = toAdditions(seen, { options: [], reason_codes: [], ...facts });
  writeUpdate(deps, caller, planChange(deps, seen, additions));
}

/** Writes a change, if there is any; throws `conflict` when the name is taken or the type was changed since `seen`. */
export function writeUpdate(
  deps: Foundation,
  caller: Caller,
  { request, seen, next: planned }: Change,
  note?: ChangeNote,
): DecisionTypeRecord {
  return deps.store.transaction(() => {
    const type = findDecisionType(deps, caller, seen.id);
    if (type.activeVersion.id !== seen.activeVersion.id) refuseChanged();
    if (request.name !== undefined && request.name !== type.name) refuseTypeName(deps, caller, request.name, type);
    const now = deps.clock.now();
    const next = applyRequest(type, request, planned.activeVersion, now);
    // Callers that have read the type as it is may go on.
    if (isDeepStrictEqual({ ...next, updatedAt: type.updatedAt }, type)) return type;
    if (!isDeepStrictEqual(next.audit, type.audit)) deps.store.audits.restartWeek(type.seq, now);
    deps.store.decisionTypes.update(next, planned.activeVersion !== seen.activeVersion);
    if (!isCovered(request.pii_fields ?? [], type.piiFields)) deps.store.personalResidues.note(type.seq, false);
    noteChange(deps, caller, type.id, note);
    return findDecisionType(deps, caller, type.id);
  });
}

/** Characters of rules, lists and input schema, as JSON, whose checks are certainly short. */
const maxLightCharacters = 1_000;

/** Lists a definition's problems, a large one's elsewhere; names and schema of `before` are not checked again. */
async function listDefinitionProblems(
  deps: Foundation,
  caller: Caller,
  definition: Definition,
  fallbackOption: string | null,
  rulesField: 'rules' | 'hard_rules',
  before: Definition | null,
): Promise<ErrorDetail[]> {
  const { hard_rules, lists, input_schema } = definition;
  const isSchemaKept = before !== null && isDeepStrictEqual(input_schema, before.input_schema);
  const order = { definition, fallbackOption, rulesField, isSchemaKept };
  const nameProblems = listNameProblems(definition, before, rulesField);
  if (nameProblems.length > 0) return nameProblems;
  const isLight = JSON.stringify([hard_rules, lists, input_schema]).length <= maxLightCharacters;
  return isLight
    ? (await import('../../preparation/rules/definition-checks.ts')).checkDefinition(order)
    : deps.preparation.runAdmitted(toCallerId(caller), 'checkDefinition', order);
}

/** Returns the version that follows the active one of a type. */
export function toNextVersion(
  deps: Foundation,
  type: DecisionTypeRecord,
  definition: Definition,
  createdAt: number,
): VersionRecord {
  return { id: deps.newId(), versionNumber: type.activeVersion.versionNumber + 1, definition, createdAt };
}

function mergeDefinition(before: Definition, request: DecisionTypeUpdate): Definition {
  const options = request.options ?? before.options;
  const gone = before.options.filter((option) => !options.includes(option));
  // Removing an option removes its threshold.
  const thresholds = gone.reduce(
    (left, option) => replaceThresholdOption(left, option, null),
    before.confidence_thresholds,
  );
  return {
    options,
    reason_codes: request.reason_codes ?? before.reason_codes,
    hard_rules: readRules(request).rules ?? before.hard_rules,
    lists: request.lists ?? before.lists,
    readings: request.readings ?? before.readings,
    input_schema: request.input_schema === undefined ? before.input_schema : request.input_schema,
    confidence_thresholds: request.confidence_thresholds ?? thresholds,
    escalation_policy: request.escalation_policy ?? escalationPolicySchema.parse(before.escalation_policy),
  };
}

/** Reads the rules under either of their two names; throws `validation_error` when both are given. */
export function readRules<Rules>(request: { rules?: Rules | undefined; hard_rules?: Rules | undefined }): {
  rules: Rules | undefined;
  field: 'rules' | 'hard_rules';
} {
  const { rules, hard_rules } = request;
  if (rules !== undefined && hard_rules !== undefined) {
    throw toValidationError([toInvalidValue(['body', 'rules'], 'give either rules or hard_rules')]);
  }
  return rules === undefined ? { rules: hard_rules, field: 'hard_rules' } : { rules, field: 'rules' };
}

/** Throws as `refuseTypeName`, or `quota_exceeded`, where the caller cannot have another decision type of this name. */
export function refuseAnother(deps: Foundation, caller: Caller, name: string): void {
  refuseTypeName(deps, caller, name);
  deps.metering.checkDecisionTypeCount(caller);
}
