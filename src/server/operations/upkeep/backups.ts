/** Backups of the data folder, on demand. */
import type { Backup } from '../../contract/upkeep/backups.ts';
import type { StoredBackup } from '../../data-folder/caretaker.ts';
import type { Handlers } from '../context.ts';

const toWire = ({ name, manifest }: StoredBackup): Backup => ({
  name,
  created_at: manifest.created_at,
  size_bytes: manifest.files.reduce((sum, file) => sum + file.size_bytes, 0),
  files: manifest.files.length,
  with_secrets: manifest.with_secrets,
});

export const backupHandlers = {
  'backups.list': ({ caretaker }) => caretaker.listBackups().map(toWire),
  'backups.create': async ({ caretaker }, { body }) => toWire(await caretaker.backUp(body.with_secrets)),
  'backups.verify': async ({ caretaker }, { params: { backup_name: name } }) => ({
    name,
    problems: await caretaker.verify(name),
  }),
  async 'backups.restore'({ caretaker }, { params, body: { folder } }) {
    await caretaker.restore(params.backup_name, folder);
    return { folder };
  },
} satisfies Handlers;
