/** Decision types with their versions, and the samples that they can be made from. */
import { z } from 'zod';
import { inputFieldKinds } from '../../../engine/bundle/input-fields.ts';
import { costsSchema } from '../../../engine/costs.ts';
import {
  characters,
  confidenceThresholdsSchema,
  defaultThresholds,
  definitionSchema,
  escalationPolicySchema,
  namedListsSchema,
  nameText,
  optionsInputSchema,
  readingsSchema,
  reasonCodesInputSchema,
  ruleSchema,
} from '../../../engine/domain/definition.ts';
import { splitSchema } from '../../../engine/domain/training.ts';
import { jsonObject } from '../../../engine/json.ts';
import { limits } from '../../../engine/limits.ts';
import { promiseStatusSchema, typePromiseSchema } from '../../../engine/measured.ts';
import { groupSettingSchema } from '../../../engine/report/groups.ts';
import { aliasOf, dateTime, pageQuery, paginated, releaseReason, uuid } from '../common.ts';
import { destroys, operation, replaces, updates } from '../operation.ts';
import { draftSchema } from './drafts.ts';

/** Not with the schema itself, whose description agents pay for twice. */
const aboutDirections =
  'At a number, `never_lowers` or `never_raises` in `input_schema` names the option whose probability it never lowers, or raises, as it rises: the next training keeps that.';
/** Which live decisions are drawn at random to be judged blind. */
export const auditSettingSchema = z
  .strictObject({
    share: z.number().min(0.0001).max(1).optional().describe('The share of live decisions that is drawn'),
    per_week: z
      .int()
      .min(1)
      .max(limits.maxAuditPerWeek)
      .optional()
      .describe('So many of the decisions of each week are drawn, when it ends: on Monday at midnight UTC'),
  })
  .refine(({ share, per_week }) => (share === undefined) !== (per_week === undefined), {
    error: 'must have either share or per_week',
  })
  .meta({ id: 'AuditSetting', minProperties: 1, maxProperties: 1 });
export type AuditSetting = z.infer<typeof auditSettingSchema>;
/** The settings of a decision type, as they are sent. */
const settings = {
  name: nameText(limits.maxTypeNameLength).describe('By which callers name it'),
  description: characters(0, 10_000).describe('For people'),
  options: optionsInputSchema.describe('The possible decisions'),
  reason_codes: reasonCodesInputSchema.describe('Short codes that say why'),
  hard_rules: z.array(ruleSchema).max(limits.maxRules).describe('Decide before the policy, the first match wins'),
  lists: namedListsSchema,
  input_schema: jsonObject.nullable().describe('JSON Schema that inputs must fit'),
  readings: readingsSchema,
  confidence_thresholds: confidenceThresholdsSchema,
  escalation_policy: escalationPolicySchema,
  fallback_option: z.string().nullable().describe('The option that answers where nothing is sure enough'),
  costs: costsSchema.nullable().describe('What wrong answers and reviews cost'),
  one_case: splitSchema
    .nullable()
    .describe(
      'What it will be asked about: `group`: new values of the field; `date`: later times; `random`: more like the examples. null: as the examples show',
    ),
  groups: groupSettingSchema
    .nullable()
    .describe('Groups that must not be harmed: what is compared among whom, and what holds a release; null: nothing'),
  pii_fields: z
    .array(characters(1, 400))
    .max(500)
    .describe('Dot paths of personal fields, whose values are masked in the log'),
  retention_days: z.int().min(1).max(3650).nullable().describe('Days that log records are kept; null: for ever'),
  audit: auditSettingSchema.nullable().describe('Live decisions drawn to be judged blind; null: none'),
  publish_by_hand: z
    .boolean()
    .describe('Whether changes of what decides must be drafts, and trained policies wait to be deployed'),
  publish_by_another: z
    .boolean()
    .describe(
      'Four eyes: whether what decides is released by another than its authors; true asks for publishing by hand, too',
    ),
};
const rules = aliasOf('hard_rules', settings.hard_rules);
export const piiFields = settings.pii_fields;

export const decisionTypeCreateSchema = z
  .strictObject({
    ...settings,
    rules,
    hard_rules: settings.hard_rules.optional(),
    description: settings.description.default(''),
    reason_codes: settings.reason_codes.default([]),
    lists: settings.lists.default({}),
    input_schema: settings.input_schema.default(null),
    readings: settings.readings.default({}),
    confidence_thresholds: settings.confidence_thresholds.default(defaultThresholds),
    escalation_policy: settings.escalation_policy.prefault({}),
    fallback_option: settings.fallback_option.default(null),
    costs: settings.costs.default(null),
    one_case: settings.one_case.default(null),
    groups: settings.groups.default(null),
    pii_fields: piiFields.default([]),
    retention_days: settings.retention_days.default(90),
    audit: settings.audit.default(null),
    publish_by_hand: settings.publish_by_hand.default(false),
    publish_by_another: settings.publish_by_another.default(false),
  })
  .meta({
    id: 'DecisionTypeCreate',
    examples: [
      {
        name: 'refund-requests',
        options: ['approve', 'reject'],
        reason_codes: ['small_amount'],
        hard_rules: [
          { name: 'small', condition: 'ctx.amount < 10', then: 'approve', reason_code: 'small_amount', priority: 1 },
        ],
      },
    ],
  });
export type DecisionTypeCreate = z.output<typeof decisionTypeCreateSchema>;

export const decisionTypeUpdateSchema = z
  .strictObject({
    ...z.object(settings).partial().shape,
    rules,
    draft: z
      .boolean()
      .default(false)
      .describe('Keeps the changes as the draft of the type: they decide once they are published'),
    reason: releaseReason,
  })
  .meta({
    id: 'DecisionTypeUpdate',
    examples: [
      { description: 'Refunds of the web shop', confidence_thresholds: { auto_decide: 0.9, escalation: 0.5 } },
    ],
  });
export type DecisionTypeUpdate = Omit<z.output<typeof decisionTypeUpdateSchema>, 'draft' | 'reason'>;

const versionSchema = z
  .object({
    id: uuid,
    version_number: z.int(),
    ...definitionSchema.shape,
    created_at: dateTime,
  })
  .meta({ id: 'Version' });
export type Version = z.infer<typeof versionSchema>;

export const decisionTypeSchema = z
  .object({
    id: uuid,
    name: z.string(),
    name_notice: z
      .string()
      .nullable()
      .describe('Why a name from before names were checked should be changed, with another one; null of any other'),
    description: z.string(),
    active_version: versionSchema.describe('What decides now'),
    pii_fields: z.array(z.string()).describe('Dot paths of personal fields'),
    pii_residue: z
      .object({
        policies: z.array(uuid).describe('Policies trained before one of the fields was declared'),
        log_records: z.int().describe('Log records written before one of the fields was declared'),
        clearing: z.boolean().describe('Whether these records are being rewritten'),
      })
      .nullable()
      .describe('What may still hold values of the personal fields; null where nothing does'),
    retention_days: z.int().nullable().describe('Days that log records are kept; null: for ever'),
    audit: auditSettingSchema.nullable().describe('What is drawn of the live decisions to be judged blind; null: none'),
    fallback_option: z.string().nullable().describe('The option that answers where nothing is sure enough; null: none'),
    costs: costsSchema.nullable().describe('What wrong answers and reviews cost; null where it is not said'),
    one_case: settings.one_case,
    groups: settings.groups,
    publish_by_hand: settings.publish_by_hand,
    publish_by_another: settings.publish_by_another,
    draft: draftSchema.nullable().describe('Changes of what decides that are not published yet'),
    model_deployed: z.boolean().describe('Whether a policy is deployed'),
    availability: z
      .object({ state: z.enum(['available', 'unavailable']), reason: z.string().nullable() })
      .nullable()
      .describe('Whether the deployed policy can be used now, and why not; null without one'),
    needs_retraining: z
      .boolean()
      .describe('The deployed policy has other options than the type, or does not fit this program'),
    promise: promiseStatusSchema
      .nullable()
      .describe('What was promised of the deployed policy, and how that stands; null without a promise'),
    declared_promise: typePromiseSchema
      .nullable()
      .describe('What is promised whichever policy decides, and whether it is kept; null where nothing is'),
    better_policy: uuid
      .nullable()
      .describe(
        'The policy that a tuning in the background has made, while it waits to be deployed: its `metrics.better_than` says in words what it brings. Null while there is none',
      ),
    etag: z.string().describe('The state of what people edit, as the header ETag: send it as If-Match with a change'),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({ id: 'DecisionType' });
export type DecisionType = z.infer<typeof decisionTypeSchema>;

const inputFieldSchema = z
  .object({
    path: z.string().describe('Keys joined by dots; each dot leads into an object'),
    kind: z.enum(inputFieldKinds).describe('any: nothing says more'),
    required: z.boolean().describe('Whether an input without it is refused'),
    missing: z.number().nullable().describe('Share of the examples without it; null where that is not known'),
    values: z.array(z.string()).nullable().describe('The categories or list members that the policy knows'),
    range: z.array(z.string()).nullable().describe('Lowest and highest number, or first and last date, as a text'),
  })
  .meta({ id: 'InputField' });

const common = { access: 'key', scope: 'read', tag: 'Decision types' } as const;
const base = '/api/v1/decision-types';

/** Characters of the definitions that one answer lists: more would keep everybody waiting while it is written. */
export const maxVersionsCharacters = 1_000_000;

export const decisionTypeOperations = {
  'decision_types.create': operation('POST', base, {
    ...common,
    scope: 'train',
    body: decisionTypeCreateSchema,
    output: decisionTypeSchema,
    status: 201,
    summary: 'Create a decision type',
    description: aboutDirections,
    takesIdempotencyKey: true,
    errors: ['quota_exceeded', 'conflict'],
  }),
  'decision_types.list': operation('GET', base, {
    ...common,
    query: z.strictObject(pageQuery),
    output: paginated(decisionTypeSchema),
    summary: 'List decision types',
  }),
  'decision_types.get': operation('GET', `${base}/:decision_type_id`, {
    ...common,
    query: z.strictObject({ fields: z.boolean().default(false).describe('Adds what the deployed policy reads') }),
    output: decisionTypeSchema
      .extend({
        fields: z
          .array(inputFieldSchema)
          .nullable()
          .optional()
          .describe('What the deployed policy reads now; null without one, or while it cannot be loaded'),
      })
      .meta({ id: 'DecisionTypeWithFields' }),
    summary: 'One decision type with its active version',
    guardsType: true,
  }),
  'decision_types.update': operation('PUT', `${base}/:decision_type_id`, {
    ...common,
    scope: 'deploy',
    body: decisionTypeUpdateSchema,
    output: decisionTypeSchema,
    summary: 'Change a decision type; a change of logic makes a new version, or with `draft` waits to be published',
    description: aboutDirections,
    hints: replaces,
    guardsType: true,
    errors: ['conflict'],
  }),
  'decision_types.delete': operation('DELETE', `${base}/:decision_type_id`, {
    ...common,
    scope: 'deploy',
    output: null,
    summary: 'Delete a decision type softly; it can be restored for two days',
    guardsType: true,
  }),
  'decision_types.restore': operation('POST', `${base}/:decision_type_id/restore`, {
    ...common,
    scope: 'deploy',
    output: decisionTypeSchema,
    summary: 'Bring back a decision type that was deleted in the last two days, with everything in it',
    hints: updates,
    errors: ['conflict', 'quota_exceeded'],
  }),
  'pii_residue.clear': operation('POST', `${base}/:decision_type_id/pii-residue/clear`, {
    ...common,
    scope: 'deploy',
    output: z.object({ decision_type: decisionTypeSchema, next: z.string() }),
    status: 202,
    summary: 'Rewrite the log records that hold values of personal fields declared late, in the background',
    hints: destroys,
  }),
  'versions.list': operation('GET', `${base}/:decision_type_id/versions`, {
    ...common,
    output: z.array(versionSchema),
    summary: 'The versions, newest first',
    description: `Every one, unless the definitions of all together are larger than ${maxVersionsCharacters / 1_000_000} MB: then the newest ones.`,
  }),
  'versions.get': operation('GET', `${base}/:decision_type_id/versions/:version_id`, {
    ...common,
    output: versionSchema,
    summary: 'One version',
  }),
  'versions.restore': operation('POST', `${base}/:decision_type_id/versions/:version_id/restore`, {
    ...common,
    scope: 'deploy',
    body: z.strictObject({ reason: releaseReason }),
    bodyOptional: true,
    output: decisionTypeSchema,
    summary: 'Make a new version with the content of an earlier one',
    hints: replaces,
    guardsType: true,
    errors: ['conflict'],
  }),
  'samples.list': operation('GET', '/api/v1/samples', {
    ...common,
    output: z.array(z.object({ name: z.string(), title: z.string(), description: z.string(), examples: z.int() })),
    summary: 'Sample projects that ship with the program',
    tag: 'Samples',
  }),
  'samples.create': operation('POST', '/api/v1/samples/:name', {
    params: z.strictObject({ name: z.string().regex(/^[a-z0-9-]{1,60}$/) }),
    output: decisionTypeSchema,
    status: 201,
    ...common,
    scope: 'train',
    summary: 'Make a decision type with rules and examples from a sample',
    takesIdempotencyKey: true,
    tag: 'Samples',
    errors: ['quota_exceeded', 'conflict'],
  }),
};
