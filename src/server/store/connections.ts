/** Model connections of the organisations, without their keys, which are files. */
import type { WorkbenchDatabase } from './database.ts';

export type ConnectionRecord = {
  id: string;
  organisationId: string;
  name: string;
  url: string;
  model: string;
  hasApiKey: boolean;
  /** Whether its address may be in a private network. */
  privateNetwork: boolean;
  /** Whether it makes the organisation's examples; at most one does. */
  generates: boolean;
  createdAt: number;
};

type RawConnection = {
  id: string;
  organisation_id: string;
  name: string;
  url: string;
  model: string;
  has_api_key: number;
  private_network: number;
  generates: number;
  created_at: number;
};

function toConnection(row: RawConnection): ConnectionRecord {
  return {
    id: row.id,
    organisationId: row.organisation_id,
    name: row.name,
    url: row.url,
    model: row.model,
    hasApiKey: row.has_api_key === 1,
    privateNetwork: row.private_network === 1,
    generates: row.generates === 1,
    createdAt: row.created_at,
  };
}

/** Prepares the queries of the model connections. */
export function createConnectionStore(db: WorkbenchDatabase) {
  const list = db.prepare<[string], RawConnection>(
    'SELECT * FROM connections WHERE organisation_id = ? ORDER BY seq LIMIT 100',
  );
  const get = db.prepare<[string, string], RawConnection>(
    'SELECT * FROM connections WHERE id = ? AND organisation_id = ?',
  );
  const getByName = db.prepare<[string, string], RawConnection>(
    'SELECT * FROM connections WHERE name = ? AND organisation_id = ?',
  );
  const getGenerating = db.prepare<[string], RawConnection>(
    'SELECT * FROM connections WHERE organisation_id = ? AND generates = 1',
  );
  const listIds = db.prepare<[], string>('SELECT id FROM connections').pluck();
  const insert = db.prepare(
    `INSERT INTO connections (id, organisation_id, name, url, model, has_api_key, private_network, generates,
       created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const stopGenerating = db.prepare('UPDATE connections SET generates = 0 WHERE organisation_id = ?');
  const remove = db.prepare('DELETE FROM connections WHERE id = ? AND organisation_id = ?');
  const toConnectionOrNull = (row: RawConnection | undefined) => (row === undefined ? null : toConnection(row));

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
    /** Adds a connection; one that generates takes that over from the others of its organisation. */
    insert: db.transaction((connection: ConnectionRecord): void => {
      if (connection.generates) stopGenerating.run(connection.organisationId);
      insert.run(
        connection.id,
        connection.organisationId,
        connection.name,
        connection.url,
        connection.model,
        connection.hasApiKey ? 1 : 0,
        connection.privateNetwork ? 1 : 0,
        connection.generates ? 1 : 0,
        connection.createdAt,
      );
    }),
    /** Returns false when the organisation has no such connection. */
    remove: (id: string, organisationId: string): boolean => remove.run(id, organisationId).changes > 0,
  };
}
