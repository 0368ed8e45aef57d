/** Who deleted, imported, switched, exported or made keys, noted with the name of a type that may be gone since. */
import type { WorkbenchDatabase } from '../database.ts';
import { defineRecord, orNull, plain, type RecordOf, values } from '../record.ts';

const { id, text, time } = values;
const activityColumns = {
  organisationId: plain('organisation_id', id),
  typeId: orNull(plain('decision_type_id', id)),
  /** The type's name then. */
  typeName: orNull(plain('decision_type', text)),
  operation: plain('operation', text),
  details: orNull(plain('details', text)),
  by: orNull(plain('made_by', text)),
  apiKeyId: orNull(plain('api_key_id', id)),
  madeAt: plain('made_at', time),
};
export const activityTable = defineRecord('activity', activityColumns);
export type ActivityRecord = RecordOf<typeof activityColumns>;
type OfOrganisation = { organisationId: string; typeId: string | null };

/** Reads and writes activity by organisation. */
export function createActivityStore(db: WorkbenchDatabase) {
  const where =
    'FROM activity WHERE organisation_id = @organisationId AND decision_type_id IS coalesce(@typeId, decision_type_id)';
  const page = db.prepare<[OfOrganisation & { limit: number; offset: number }], ActivityRecord>(
    `SELECT ${activityTable.select()} ${where} ORDER BY seq DESC LIMIT @limit OFFSET @offset`,
  );
  const count = db.prepare<[OfOrganisation], number>(`SELECT count(*) ${where}`).pluck();
  const forget = db.prepare(
    `DELETE FROM activity WHERE made_at < @nowMs - 86400000 * (
       SELECT CASE WHEN count(*) = count(retention_days) THEN max(retention_days) END FROM decision_types t
       WHERE t.organisation_id = activity.organisation_id)`,
  );
  return {
    add: activityTable.prepareInsert(db),
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
