/** The service and its clock, alerts, backups, events and text models. */
import { z } from 'zod';
import { characters } from '../../../engine/domain/definition.ts';
import { ownTextModelNameSchema } from '../../../engine/domain/training.ts';
import { dateTime, uuid } from '../common.ts';
import { creates, operation, reads, updates } from '../operation.ts';

const open = { access: 'public', tag: 'System' } as const;
const read = { access: 'key', scope: 'read', tag: 'System' } as const;

const clockSchema = z
  .object({
    now: dateTime,
    trusted_at: dateTime.describe('The time by which data are removed for their age, never later than now'),
    state: z
      .enum(['trusted', 'in doubt'])
      .describe('in doubt: the clock is over a week ahead of the running time, and not yet seen for four hours of it'),
    leap_seconds: z.int().nullable().describe('How far it is ahead; null while it is trusted'),
  })
  .meta({ id: 'Clock' });

/** The message of an alert, as the body of a webhook and on the standard input of a command. */
export const alertSchema = z
  .object({
    id: z.string().describe('Another one for each message; a repeated try has the same'),
    kind: z
      .enum(['promise', 'drift', 'policy', 'disk', 'backup', 'test'])
      .describe('promise: not kept; drift: inputs have changed; policy: it cannot be used; test: nothing is wrong'),
    state: z.enum(['firing', 'resolved']),
    decision_type: z.string().nullable().describe('Name of the decision type; null for the service as a whole'),
    message: z.string(),
    since: dateTime,
  })
  .meta({ id: 'Alert' });
export type Alert = z.infer<typeof alertSchema>;

const alertsSchema = z
  .object({
    receiver: z
      .object({
        kind: z.enum(['command', 'webhook']),
        to: z.string().describe('The file of the command, or the address of the webhook'),
        private_network: z.boolean(),
        set_at_start: z.boolean().describe('By a flag or the environment; it cannot be changed here'),
      })
      .nullable()
      .describe('null: alerts are sent to nobody'),
    firing: z.array(alertSchema.omit({ id: true, state: true })),
    last: z
      .object({
        alert: alertSchema,
        at: dateTime,
        tries: z.int(),
        error: z.string().nullable().describe('Why it did not arrive; null: it did'),
      })
      .nullable()
      .describe('The last alert that was sent, or was to be; null: none since the start'),
  })
  .meta({ id: 'Alerts' });

const alertsPath = '/api/v1/alerts';
const common = { access: 'owner', tag: 'System' } as const;

const backupSchema = z
  .object({
    name: z.string().describe('Folder below backups/ of the data folder'),
    created_at: dateTime,
    size_bytes: z.int(),
    files: z.int(),
    with_secrets: z.boolean(),
  })
  .meta({ id: 'Backup' });
export type Backup = z.infer<typeof backupSchema>;

const backupName = z
  .string()
  .regex(/^backup-[\dTZ-]{1,60}(daily)?$/, 'must be the name of a backup')
  .describe('Name of a backup, as the list has it');
const one = z.strictObject({ backup_name: backupName });

const backupsPath = '/api/v1/backups';

/** One event as its `data` holds it; no event holds a value of an input. */
const eventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('ready').describe('The stream is open; it has no memory of what happened before') }),
  z.object({ event: z.literal('reset').describe('More happened than fits: what is shown is to be read again') }),
  z.object({
    event: z.literal('change').describe('Somebody has changed something'),
    operation: z.string().describe('The operation that did it'),
    decision_type_id: uuid.nullable(),
    example_id: uuid.nullable().describe('The example that was changed, where it was one'),
    request_id: z.string().describe('The X-Request-ID of the call, by which callers know their own'),
  }),
  z.object({
    event: z.literal('job').describe('Work in the background has moved on or ended'),
    job: z.enum(['training', 'findings', 'slices', 'drift', 'labels']),
    decision_type_id: uuid,
    policy_id: uuid.nullable().describe('The policy in training'),
    ended: z.boolean().describe('Whether it has ended, however it did'),
  }),
  z.object({
    event: z.literal('progress').describe('A change of many examples takes longer than half a second'),
    decision_type_id: uuid,
    share: z.number().nullable().describe('How much of it is done, from 0 to 1; null: it has ended'),
    cancellable: z.boolean().describe('Whether examples.cancel turns it back; an undo goes on to its end'),
  }),
  z.object({
    event: z.literal('promise').describe('A policy was asked for the promise of its type: it was trained or deployed'),
    decision_type_id: uuid,
    policy_id: uuid,
    state: z.enum(['kept', 'not_kept']),
    held_back: z.boolean().describe('Whether its training did not deploy it'),
  }),
  z.object({
    event: z.literal('release').describe('What decides was changed, or a policy was deployed'),
    decision_type_id: uuid,
    policy_id: uuid,
    release: z.int(),
    digest: z.string().describe('The digest of what decides from now on'),
  }),
  z.object({
    event: z.literal('logs').describe('Decisions were recorded'),
    decision_type_id: uuid,
    added: z.int().describe('Log records since the last such event'),
  }),
]);
export type WorkbenchEvent = z.infer<typeof eventSchema>;

const textModelSchema = z
  .object({
    name: z.string().describe('As `text_model` of a training names it'),
    own: z.boolean().describe('Whether it was added here'),
    base_model: z.string().describe('As model cards name it'),
    languages: z.array(z.string()).describe('By ISO 639-1; empty where they are not known'),
    size_mb: z.number(),
  })
  .meta({ id: 'TextModel' });
export type TextModelEntry = z.infer<typeof textModelSchema>;

const textModelsPath = '/api/v1/text-models';

export const upkeepOperations = {
  'system.root': operation('GET', '/', {
    ...open,
    output: z.object({
      service: z.string(),
      by: z.string(),
      version: z.string(),
      documentation: z.string(),
      openapi: z.string(),
      health: z.string(),
    }),
    summary: 'Name and version of the service',
  }),
  'system.health': operation('GET', '/health', {
    ...open,
    output: z.record(z.string(), z.string()),
    summary: 'Liveness',
  }),
  'system.ready': operation('GET', '/ready', {
    ...open,
    output: z.record(z.string(), z.union([z.string(), z.boolean(), z.int()])),
    summary: 'Readiness of database, cache and models',
  }),
  'system.metrics': operation('GET', '/metrics', {
    ...read,
    output: null,
    produces: 'text/plain',
    summary: 'Counts since the start and the state of the service, for Prometheus',
    description: 'Decisions and policies of the own organisation; requests, refusals and the machine of all.',
  }),
  'system.openapi': operation('GET', '/api/v1/openapi.json', {
    ...open,
    output: z.record(z.string(), z.unknown()),
    summary: 'This interface as OpenAPI 3.1',
  }),
  'system.jwks': operation('GET', '/.well-known/jwks.json', {
    ...open,
    output: z.object({ keys: z.array(z.record(z.string(), z.unknown())) }),
    summary: 'Public keys of the local identity provider',
  }),
  'clock.get': operation('GET', '/api/v1/clock', {
    ...read,
    output: clockSchema,
    summary: 'The clock of the service, and whether retention may act on it',
  }),
  'clock.confirm': operation('POST', '/api/v1/clock/confirm', {
    output: clockSchema,
    access: 'owner',
    summary: 'Say that the clock is right as it stands now, so that retention goes on',
    hints: { ...updates, destructive: true },
    tag: 'System',
  }),
  'alerts.get': operation('GET', alertsPath, {
    ...common,
    output: alertsSchema,
    summary: 'What should be known now, where it is sent, and how the last message went',
  }),
  'alerts.set': operation('PUT', alertsPath, {
    ...common,
    body: z.strictObject({
      url: characters(1, 2_000).nullable().describe('Address of a webhook; null: alerts are sent to nobody'),
      private_network: z.boolean().default(false).describe('true: the address may lie in a private network'),
    }),
    output: alertsSchema.extend({
      secret: z.string().nullable().describe('Key of the signatures (Standard Webhooks), shown this once'),
    }),
    summary: 'Send alerts to a webhook, with a new secret, or to nobody; from then on they leave this program',
    errors: ['conflict'],
  }),
  'alerts.test': operation('POST', `${alertsPath}/test`, {
    ...common,
    output: z.object({ ok: z.boolean(), message: z.string() }),
    summary: 'Send one alert that nothing is wrong, in one try',
    hints: creates,
    errors: ['conflict'],
  }),
  'backups.list': operation('GET', backupsPath, {
    ...common,
    output: z.array(backupSchema),
    summary: 'Backups in the data folder, newest first',
  }),
  'backups.create': operation('POST', backupsPath, {
    ...common,
    body: z.strictObject({
      with_secrets: z.boolean().default(false).describe('true: API keys and sessions stay valid after a restore'),
    }),
    bodyOptional: true,
    output: backupSchema,
    status: 201,
    summary: 'Write a backup of all data into the data folder, while the service goes on',
    errors: ['conflict'],
  }),
  'backups.verify': operation('POST', `${backupsPath}/:backup_name/verify`, {
    ...common,
    params: one,
    output: z.object({
      name: z.string(),
      problems: z.array(z.string()).describe('What is wrong, in sentences; empty when every file is as it was written'),
    }),
    summary: 'Read a whole backup again and compare it with the digests that were written with it',
    hints: reads,
    errors: ['conflict', 'unavailable'],
  }),
  'backups.restore': operation('POST', `${backupsPath}/:backup_name/restore`, {
    ...common,
    params: one,
    body: z.strictObject({
      folder: z.string().min(1).max(1_000).describe('Absolute path of a folder that does not exist, or is empty'),
    }),
    output: z.object({ folder: z.string() }),
    status: 201,
    summary: 'Make a new data folder of a backup; the service goes on with its own',
    errors: ['conflict', 'unavailable'],
  }),
  'events.stream': operation('GET', '/api/v1/events', {
    ...read,
    output: null,
    produces: 'text/event-stream',
    summary:
      'What happens, as server-sent events: `ready`, `change`, `job`, `progress`, `promise`, `release`, `logs`, `reset`, at most four groups a second, a ' +
      'comment every 15 seconds; a stream ends after ten minutes, so that its credential is asked for again',
  }),
  'text_models.list': operation('GET', textModelsPath, {
    ...read,
    tag: 'Training',
    output: z.array(textModelSchema),
    summary: 'Text models: those of the program, and those that were added',
  }),
  'text_models.add': operation('POST', textModelsPath, {
    access: 'owner',
    tag: 'Training',
    body: z.strictObject({
      folder: z.string().min(1).max(1_000).describe('Absolute path of a folder on this machine'),
      name: ownTextModelNameSchema.optional().describe('Left out: as the folder is called'),
    }),
    output: textModelSchema.extend({
      notes: z.array(z.string()).describe('What was guessed or could not be checked'),
    }),
    status: 201,
    summary: 'Add a text model: its files are checked, tried and copied into the data folder',
    description:
      'The folder has `encoder.onnx` (reads `input_ids` and `attention_mask`, gives `sentence_embedding` of length 1), `tokenizer.json` (WordPiece of a lower-casing BERT, or Unigram), `LICENSE` and, if need be, `encoder.json` (`base_model`, `languages`, `prefix`, `dimensions`, `frame`), `golden.json` (texts with their embeddings), `NOTICE` and `SHA256SUMS`. Trainings with `text_model: auto` try it, too; bundles carry it.',
    errors: ['conflict'],
  }),
  'text_models.delete': operation('DELETE', `${textModelsPath}/:text_model`, {
    access: 'owner',
    tag: 'Training',
    params: z.strictObject({ text_model: ownTextModelNameSchema.describe('Name of a text model that was added') }),
    output: null,
    summary: 'Remove a text model that was added; refused while a release of any decision type reads by it',
    errors: ['conflict'],
  }),
};
