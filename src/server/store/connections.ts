import type { WorkbenchDatabase } from './database.ts';

export type ConnectionRow = {
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

/** Connections to teacher models; at most one of an organisation generates examples. */
export function createConnectionStore(db: WorkbenchDatabase) {
  const list = db.prepare<[string], ConnectionRow>(
    'SELECT * FROM connections WHERE organisation_id = ? ORDER BY seq LIMIT 100',
  );
  const one = db.prepare<[string, string], ConnectionRow>(
    'SELECT * FROM connections WHERE id = ? AND organisation_id = ?',
  );
  const byName = db.prepare<[string, string], ConnectionRow>(
    'SELECT * FROM connections WHERE name = ? AND organisation_id = ?',
  );
  const ids = db.prepare<[], string>('SELECT id FROM connections').pluck();
  const insert = db.prepare(
    `INSERT INTO connections (id, organisation_id, name, url, model, has_api_key, private_network, generates, created_at)
     VALUES (@id, @organisation_id, @name, @url, @model, @has_api_key, @private_network, @generates, @created_at)`,
  );
  const relieve = db.prepare('UPDATE connections SET generates = 0 WHERE organisation_id = ?');
  const remove = db.prepare('DELETE FROM connections WHERE id = ? AND organisation_id = ?');
  return {
    list: (organisationId: string): ConnectionRow[] => list.all(organisationId),
    get: (id: string, organisationId: string): ConnectionRow | null => one.get(id, organisationId) ?? null,
    byName: (name: string, organisationId: string): ConnectionRow | null => byName.get(name, organisationId) ?? null,
    ids: (): string[] => ids.all(),
    /** The new one takes over the generating where it says so. */
    insert: db.transaction((row: ConnectionRow) => {
      if (row.generates === 1) relieve.run(row.organisation_id);
      insert.run(row);
    }),
    remove: (id: string, organisationId: string): boolean => remove.run(id, organisationId).changes > 0,
  };
}
