/** Backups of the data folder. */
import { z } from 'zod';
import { dateTime } from '../common.ts';
import { operation, reads } from '../operation.ts';

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

const path = '/api/v1/backups';
const common = { access: 'owner', tag: 'System' } as const;

export const backupOperations = {
  'backups.list': operation('GET', path, {
    ...common,
    output: z.array(backupSchema),
    summary: 'Backups in the data folder, newest first',
  }),
  'backups.create': operation('POST', path, {
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
  'backups.verify': operation('POST', `${path}/:backup_name/verify`, {
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
  'backups.restore': operation('POST', `${path}/:backup_name/restore`, {
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
};
