/** Model connections of the organisations, without their keys, which are files. */
import type { WorkbenchDatabase } from '../database.ts';

export type ConnectionRecord = {
  id: string;
  organisationId: string;
  name: string;
  url: string;
  model: string;
  hasApiKey: boolean;
  privateNetwork: boolean;
  /** Whether it makes the organisation's examples; at most one does. */
  generates: boolean;
  createdAt: number;
};

type Flag = 'hasApiKey' | 'privateNetwork' | 'generates';
type RawConnection = Omit<ConnectionRecord, Flag> & Record<Flag, number>;

const selectConnections = `SELECT id, organisation_id AS organisationId, name, url, model, has_api_key AS hasApiKey,
  private_network AS privateNetwork, generates, created_at AS createdAt FROM connections`;

const toConnection = (row: RawConnection): ConnectionRecord => ({
  ...row,
  hasApiKey: row.hasApiKey === 1,
  privateNetwork: row.privateNetwork === 1,
  generates: row.generates === 1,
});

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
  const insert = db.prepare(
    `INSERT INTO connections (id, organisation_id, name, url, model, has_api_key, private_network, generates, created_at)
     VALUES (@id, @organisationId, @name, @url, @model, @hasApiKey, @privateNetwork, @generates, @createdAt)`,
  );
  const stopGenerating = db.prepare('UPDATE connections SET generates = 0 WHERE organisation_id = ?');
  const remove = db.prepare('DELETE FROM connections WHERE id = ? AND organisation_id = ?');
  const toConnectionOrNull = (row: RawConnection | undefined) => (row === undefined ? null : toConnection(row));

  const insertOne = db.transaction((connection: ConnectionRecord): void => {
    if (connection.generates) stopGenerating.run(connection.organisationId);
    const { hasApiKey, privateNetwork, generates } = connection;
    const flags = { hasApiKey: +hasApiKey, privateNetwork: +privateNetwork, generates: +generates };
    insert.run({ ...connection, ...flags });
  });

  return {
    list: (organisationId: string): ConnectionRecord[] => list.all(organisationId).map(toConnection),
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
