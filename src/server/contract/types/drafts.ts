/** Drafts: changes of what decides beside the policy that wait to be published. */
import { z } from 'zod';
import {
  confidenceThresholdsSchema,
  definitionSchema,
  escalationPolicySchema,
  namedListsSchema,
  readingsSchema,
} from '../../../engine/domain/definition.ts';
import { holdKinds, rulesEffectSchema } from '../../../engine/measured.ts';
import { dateTime } from '../common.ts';
import { destroys, operation } from '../operation.ts';

const settingsSchema = z.object({
  ...definitionSchema.pick({ reason_codes: true, hard_rules: true, input_schema: true }).shape,
  lists: namedListsSchema,
  readings: readingsSchema,
  confidence_thresholds: confidenceThresholdsSchema,
  escalation_policy: escalationPolicySchema,
  fallback_option: z.string().nullable(),
});
const settingNameSchema = settingsSchema.keyof();
export type SettingName = z.infer<typeof settingNameSchema>;
export const settingNames: readonly SettingName[] = settingNameSchema.options;

const proposalSchema = z.strictObject(settingsSchema.partial().shape).meta({ id: 'DraftProposal' });

export const draftSchema = z
  .object({
    settings: settingsSchema.partial().describe('What it changes, as that is to be'),
    changes: z.array(z.string()).describe('What it changes, in sentences'),
    conflicts: z
      .array(settingNameSchema)
      .describe('What was changed live meanwhile: send it again with `draft`, or discard the draft'),
    by: z.string().nullable().describe('Name of the person or key that changed it last'),
    updated_at: dateTime,
  })
  .meta({ id: 'Draft' });
export type Draft = z.infer<typeof draftSchema>;

const common = { access: 'key', scope: 'read', tag: 'Decision types' } as const;
const base = '/api/v1/decision-types/:decision_type_id/draft';

export const draftOperations = {
  'drafts.get': operation('GET', base, {
    ...common,
    query: z.strictObject({
      logged: z.int().min(0).max(500).default(100).describe('How many of the newest logged decisions are made again'),
    }),
    output: draftSchema
      .extend({
        unseen: rulesEffectSchema
          .nullable()
          .describe('On the held-out examples, and in costs; null while it would not decide: the options have changed'),
        logged: z
          .object({
            rows: z.int().describe('Logged inputs that both decide'),
            refused: z.int().describe('Those that an input schema refuses'),
            changed: z.array(z.object({ from: z.string(), to: z.string(), decisions: z.int() })),
          })
          .nullable()
          .describe('On the newest logged decisions, commonest change first; null as `unseen`'),
        holds: z
          .array(z.object({ kind: z.enum(holdKinds), sentence: z.string() }))
          .describe('What keeps it from being published until a reason is given, as in the verdict of a policy'),
        etag: z.string(),
      })
      .meta({ id: 'DraftWithEffect' }),
    summary:
      'The draft of a decision type, with what it would change: on held-out examples, logged decisions and costs',
    guardsType: true,
    errors: ['not_found', 'unavailable'],
  }),
  'drafts.put': operation('PUT', base, {
    ...common,
    scope: 'train',
    body: proposalSchema,
    output: draftSchema.nullable(),
    summary:
      'Propose a change of what decides: it joins the draft of the type, which others publish; null where nothing is left of it',
    guardsType: true,
    errors: ['conflict'],
  }),
  'drafts.delete': operation('DELETE', base, {
    ...common,
    scope: 'deploy',
    output: null,
    summary: 'Discard the draft of a decision type',
    hints: destroys,
    guardsType: true,
    errors: ['not_found'],
  }),
};
