/** Model connections of the organisations, without their keys, which are files. */
import type { WorkbenchDatabase } from '../database.ts';
import { defineRecord, flag, plain, type RecordOf, values } from '../record.ts';

const { id, text, time } = values;
const connectionColumns = {
  id: plain('id', id),
  organisationId: plain('organisation_id', id),
  name: plain('name', text),
  url: plain('url', text),
  model: plain('model', text),
  hasApiKey: flag('has_api_key'),
  privateNetwork: flag('private_network'),
  /** Whether it makes the organisation's examples; at most one does. */
  generates: flag('generates'),
  createdAt: plain('created_at', time),
};
export const connectionTable = defineRecord('connections', connectionColumns);
export type ConnectionRecord = RecordOf<typeof connectionColumns>;
type RawConnection = Record<keyof ConnectionRecord, unknown>;

const selectConnections = `SELECT ${connectionTable.select()} FROM connections`;

/** Reads and writes model connections. */
export function createConnectionStore(db: WorkbenchDatabase) {
  const list = db.prepare<[string], RawConnection>(
    `${selectConnections} WHERE organisation_id = ? ORDER BY seq LIMIT 100`,
  );
  const get = db.prepare<[string, string], RawConnection>(`${selectConnections} WHERE id = ? AND organisation_id = ?`);
  const getByName = db.prepare<[string, string], RawConnection>(
    `${selectConnections} WHERE name = ? AND organisation_id = ?`,
  );
  const getGenerating = db.prepare<[string], RawConnection>(
    `${selectConnections} WHERE organisation_id = ? AND generates = 1`,
  );
  const listIds = db.prepare<[], string>('SELECT id FROM connections').pluck();
  const listIdsWithKey = db.prepare<[], string>('SELECT id FROM connections WHERE has_api_key = 1').pluck();
  const insert = connectionTable.prepareInsert(db);
  const stopGenerating = db.prepare('UPDATE connections SET generates = 0 WHERE organisation_id = ?');
  const remove = db.prepare('DELETE FROM connections WHERE id = ? AND organisation_id = ?');
  const toConnectionOrNull = (row: RawConnection | undefined) => (row === undefined ? null : connectionTable.read(row));

  const insertOne = db.transaction((connection: ConnectionRecord): void => {
    if (connection.generates) stopGenerating.run(connection.organisationId);
    insert(connection);
  });

  return {
    list: (organisationId: string): ConnectionRecord[] => list.all(organisationId).map(connectionTable.read),
    get: (id: string, organisationId: string): ConnectionRecord | null =>
      toConnectionOrNull(get.get(id, organisationId)),
    getByName: (name: string, organisationId: string): ConnectionRecord | null =>
      toConnectionOrNull(getByName.get(name, organisationId)),
    /** Returns the connection that makes the organisation's examples, or null. */
    getGenerating: (organisationId: string): ConnectionRecord | null =>
      toConnectionOrNull(getGenerating.get(organisationId)),
    listIds: (): string[] => listIds.all(),
    /** Those that were made with a key. */
    listIdsWithKey: (): string[] => listIdsWithKey.all(),
    /** Adds a connection; one that generates takes that over from the others of its organisation. */
    insert: (connection: ConnectionRecord): void => insertOne(connection),
    /** Returns false when the organisation has no such connection. */
    remove: (id: string, organisationId: string): boolean => remove.run(id, organisationId).changes > 0,
  };
}
