import { WorkbenchError } from '../../engine/errors.ts';
import type { PlanName } from '../contract/credits.ts';
import type { WorkbenchDatabase } from './database.ts';

export type OrganisationRow = {
  seq: number;
  id: string;
  name: string;
  plan: PlanName;
  planSince: number;
  /** When the trial was first chosen, or null. */
  trialSince: number | null;
  /** When a plan of monthly credits was first chosen, or null. */
  monthlySince: number | null;
  createdAt: number;
};
export type UserRow = {
  id: string;
  organisationId: string;
  email: string | null;
  name: string;
  role: 'owner' | 'member';
  createdAt: number;
};
export type ApiKeyRow = {
  id: string;
  organisationId: string;
  name: string;
  prefix: string;
  salt: Buffer;
  digest: Buffer;
  rateLimitPerMinute: number;
  createdAt: number;
  lastUsedAt: number | null;
};

const organisationColumns =
  'seq, id, name, plan, plan_since AS planSince, trial_since AS trialSince, monthly_since AS monthlySince, created_at AS createdAt';
const userColumns = 'id, organisation_id AS organisationId, email, name, role, created_at AS createdAt';
const keyColumns = `id, organisation_id AS organisationId, name, prefix, salt, digest,
  rate_limit_per_minute AS rateLimitPerMinute, created_at AS createdAt, last_used_at AS lastUsedAt`;

/** Organisations, users, API keys and one-time login codes. Organisations are few and kept in memory. */
export function createAccountStore(db: WorkbenchDatabase) {
  const organisations = new Map<string, OrganisationRow>();
  const statements = {
    organisation: db.prepare<[string], OrganisationRow>(
      `SELECT ${organisationColumns} FROM organisations WHERE id = ?`,
    ),
    allOrganisations: db.prepare<[], OrganisationRow>(`SELECT ${organisationColumns} FROM organisations ORDER BY seq`),
    insertOrganisation: db.prepare(
      "INSERT INTO organisations (id, name, plan, plan_since, created_at) VALUES (?, ?, 'local', ?, ?)",
    ),
    rename: db.prepare('UPDATE organisations SET name = ? WHERE id = ?'),
    setPlan: db.prepare(
      `UPDATE organisations SET plan = @plan, plan_since = @at,
         trial_since = CASE WHEN @plan = 'trial' THEN coalesce(trial_since, @at) ELSE trial_since END,
         monthly_since = CASE WHEN @plan IN ('local', 'trial') THEN monthly_since ELSE coalesce(monthly_since, @at) END
       WHERE id = @id`,
    ),
    user: db.prepare<[string], UserRow>(`SELECT ${userColumns} FROM users WHERE id = ?`),
    userBySubject: db.prepare<[string, string], UserRow>(
      `SELECT ${userColumns} FROM users WHERE issuer = ? AND subject = ?`,
    ),
    insertUser: db.prepare(
      'INSERT INTO users (id, issuer, subject, organisation_id, email, name, role, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    ),
    renameUser: db.prepare('UPDATE users SET name = ? WHERE id = ?'),
    insertKey: db.prepare(
      `INSERT INTO api_keys (id, organisation_id, name, prefix, salt, digest, rate_limit_per_minute, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    keysByPrefix: db.prepare<[string], ApiKeyRow>(
      `SELECT ${keyColumns} FROM api_keys WHERE prefix = ? AND revoked_at IS NULL`,
    ),
    keys: db.prepare<[string], ApiKeyRow>(
      `SELECT ${keyColumns} FROM api_keys WHERE organisation_id = ? AND revoked_at IS NULL ORDER BY created_at DESC, id`,
    ),
    revoke: db.prepare(
      'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND organisation_id = ? AND revoked_at IS NULL',
    ),
    used: db.prepare('UPDATE api_keys SET last_used_at = ? WHERE id = ?'),
    insertCode: db.prepare('INSERT INTO login_codes (digest, expires_at) VALUES (?, ?)'),
    takeCode: db.prepare<[Buffer], { expires_at: number }>(
      'DELETE FROM login_codes WHERE digest = ? RETURNING expires_at',
    ),
    forgetCodes: db.prepare('DELETE FROM login_codes WHERE expires_at < ?'),
  };

  const findOrganisation = (id: string): OrganisationRow => {
    const known = organisations.get(id);
    if (known !== undefined) return known;
    const row = statements.organisation.get(id);
    if (row === undefined) throw new WorkbenchError('not_found', 'The organisation does not exist.');
    organisations.set(id, row);
    return row;
  };

  return {
    /** Throws `not_found` for an unknown id. */
    organisation: findOrganisation,
    firstOrganisation: (): OrganisationRow | null => statements.allOrganisations.get() ?? null,
    insertOrganisation(id: string, name: string, at: number): void {
      statements.insertOrganisation.run(id, name, at, at);
    },
    renameOrganisation(id: string, name: string): void {
      statements.rename.run(name, id);
      organisations.delete(id);
    },
    setPlan(id: string, plan: PlanName, at: number): void {
      statements.setPlan.run({ id, plan, at });
      organisations.delete(id);
    },
    user: (id: string): UserRow | null => statements.user.get(id) ?? null,
    userBySubject: (issuer: string, subject: string): UserRow | null =>
      statements.userBySubject.get(issuer, subject) ?? null,
    insertUser(row: UserRow & { issuer: string; subject: string }): void {
      statements.insertUser.run(
        row.id,
        row.issuer,
        row.subject,
        row.organisationId,
        row.email,
        row.name,
        row.role,
        row.createdAt,
      );
    },
    renameUser(id: string, name: string): void {
      statements.renameUser.run(name, id);
    },
    insertKey(row: ApiKeyRow): void {
      statements.insertKey.run(
        row.id,
        row.organisationId,
        row.name,
        row.prefix,
        row.salt,
        row.digest,
        row.rateLimitPerMinute,
        row.createdAt,
      );
    },
    keysByPrefix: (prefix: string): ApiKeyRow[] => statements.keysByPrefix.all(prefix),
    keys: (organisationId: string): ApiKeyRow[] => statements.keys.all(organisationId),
    revokeKey: (id: string, organisationId: string, at: number): boolean =>
      statements.revoke.run(at, id, organisationId).changes > 0,
    markKeyUsed(id: string, at: number): void {
      statements.used.run(at, id);
    },
    insertLoginCode(digest: Buffer, expiresAt: number): void {
      statements.insertCode.run(digest, expiresAt);
    },
    /** Takes the code away; true when it existed and has not expired. */
    takeLoginCode(digest: Buffer, now: number): boolean {
      statements.forgetCodes.run(now);
      const row = statements.takeCode.get(digest);
      return row !== undefined && row.expires_at >= now;
    },
  };
}
