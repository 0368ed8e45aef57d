/** Backups of the data folder. */
import { z } from 'zod';
import { dateTime } from './common.ts';
import { creates, operation, reads } from './operation.ts';

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

const common = { access: 'owner', tag: 'System', path: '/api/v1/backups' } as const;

export const backupOperations = {
  'backups.list': operation({
    ...common,
    method: 'GET',
    output: z.array(backupSchema),
    status: 200,
    summary: 'Backups in the data folder, newest first',
    hints: reads,
  }),
  'backups.create': operation({
    ...common,
    method: 'POST',
    body: z.strictObject({
      with_secrets: z.boolean().default(false).describe('true: API keys and sessions stay valid after a restore'),
    }),
    bodyOptional: true,
    output: backupSchema,
    status: 201,
    summary: 'Write a backup of all data into the data folder, while the service goes on',
    hints: creates,
    errors: ['conflict'],
  }),
};
