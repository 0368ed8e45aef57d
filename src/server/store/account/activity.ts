/** Who deleted, imported, switched, exported or made keys, noted with the name of a type that may be gone since. */
import type { WorkbenchDatabase } from '../database.ts';

export type ActivityRecord = {
  operation: string;
  details: string | null;
  typeId: string | null;
  /** The type's name then. */
  typeName: string | null;
  by: string | null;
  apiKeyId: string | null;
  madeAt: number;
};
type OfOrganisation = { organisationId: string; typeId: string | null };

/** Reads and writes activity by organisation. */
export function createActivityStore(db: WorkbenchDatabase) {
  const insert = db.prepare(
    `INSERT INTO activity (organisation_id, decision_type_id, decision_type, operation, details, made_by, api_key_id,
       made_at) VALUES (@organisationId, @typeId, @typeName, @operation, @details, @by, @apiKeyId, @madeAt)`,
  );
  const where =
    'FROM activity WHERE organisation_id = @organisationId AND decision_type_id IS coalesce(@typeId, decision_type_id)';
  const page = db.prepare<[OfOrganisation & { limit: number; offset: number }], ActivityRecord>(
    `SELECT operation, details, decision_type_id AS typeId, decision_type AS typeName, made_by AS "by",
       api_key_id AS apiKeyId, made_at AS madeAt ${where} ORDER BY seq DESC LIMIT @limit OFFSET @offset`,
  );
  const count = db.prepare<[OfOrganisation], number>(`SELECT count(*) ${where}`).pluck();
  const forget = db.prepare(
    `DELETE FROM activity WHERE made_at < @nowMs - 86400000 * (
       SELECT CASE WHEN count(*) = count(retention_days) THEN max(retention_days) END FROM decision_types t
       WHERE t.organisation_id = activity.organisation_id)`,
  );
  return {
    add(record: ActivityRecord & { organisationId: string }): void {
      insert.run(record);
    },
    /** One page, newest first, with the number of all; `typeId` null: of all types and of none. */
    page: (of: OfOrganisation, number: number, pageSize: number): { records: ActivityRecord[]; total: number } => ({
      records: page.all({ ...of, limit: pageSize, offset: (number - 1) * pageSize }),
      total: count.get(of) ?? 0,
    }),
    /** Removes what is older than every log of its organisation is kept. */
    forget(nowMs: number): void {
      forget.run({ nowMs });
    },
  };
}
