/** Organisations, users, API keys and one-time login codes. The columns are read under the records' names. */
import { WorkbenchError } from '../../../engine/errors.ts';
import type { PlanName } from '../../contract/account/account.ts';
import type { Scope } from '../../contract/operation.ts';
import type { WorkbenchDatabase } from '../database.ts';

export type OrganisationRecord = {
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
export type UserRecord = {
  id: string;
  organisationId: string;
  email: string | null;
  name: string;
  role: 'owner' | 'member';
  createdAt: number;
};
export type ApiKeyRecord = {
  id: string;
  organisationId: string;
  name: string;
  prefix: string;
  salt: Buffer;
  digest: Buffer;
  rateLimitPerMinute: number;
  scopes: Scope[] | null;
  allowsDestructive: boolean;
  /** Id of the person who made it; null where that is not known. */
  madeBy: string | null;
  /** Who holds it, if not the one who made it. */
  holder: string | null;
  createdAt: number;
  lastUsedAt: number | null;
};
type RawKey = Omit<ApiKeyRecord, 'scopes' | 'allowsDestructive'> & { scopes: string | null; allowsDestructive: number };

const organisationColumns = `seq, id, name, plan, plan_since AS planSince, trial_since AS trialSince,
  monthly_since AS monthlySince, created_at AS createdAt`;
const userColumns = 'id, organisation_id AS organisationId, email, name, role, created_at AS createdAt';
const keyColumns = `id, organisation_id AS organisationId, name, prefix, salt, digest,
  rate_limit_per_minute AS rateLimitPerMinute, scopes, allows_destructive AS allowsDestructive,
  made_by AS madeBy, holder, created_at AS createdAt, last_used_at AS lastUsedAt`;

function toKey({ scopes, allowsDestructive, ...key }: RawKey): ApiKeyRecord {
  const parsed = scopes === null ? null : (JSON.parse(scopes) as Scope[]);
  return { ...key, scopes: parsed, allowsDestructive: allowsDestructive === 1 };
}

function prepareStatements(db: WorkbenchDatabase) {
  return {
    getOrganisation: db.prepare<[string], OrganisationRecord>(
      `SELECT ${organisationColumns} FROM organisations WHERE id = ?`,
    ),
    getFirstOrganisation: db.prepare<[], OrganisationRecord>(
      `SELECT ${organisationColumns} FROM organisations ORDER BY seq LIMIT 1`,
    ),
    insertOrganisation: db.prepare(
      "INSERT INTO organisations (id, name, plan, plan_since, created_at) VALUES (?, ?, 'local', ?, ?)",
    ),
    renameOrganisation: db.prepare('UPDATE organisations SET name = ? WHERE id = ?'),
    setPlan: db.prepare(
      `UPDATE organisations SET plan = @plan, plan_since = @at,
         trial_since = CASE WHEN @plan = 'trial' THEN coalesce(trial_since, @at) ELSE trial_since END,
         monthly_since = CASE WHEN @plan IN ('local', 'trial') THEN monthly_since ELSE coalesce(monthly_since, @at) END
       WHERE id = @id`,
    ),
    getUser: db.prepare<[string], UserRecord>(`SELECT ${userColumns} FROM users WHERE id = ?`),
    getUserBySubject: db.prepare<[string, string], UserRecord>(
      `SELECT ${userColumns} FROM users WHERE issuer = ? AND subject = ?`,
    ),
    insertUser: db.prepare(
      `INSERT INTO users (id, issuer, subject, organisation_id, email, name, role, created_at)
       VALUES (@id, @issuer, @subject, @organisationId, @email, @name, @role, @createdAt)`,
    ),
    renameUser: db.prepare('UPDATE users SET name = ? WHERE id = ?'),
    insertKey: db.prepare(
      `INSERT INTO api_keys (id, organisation_id, name, prefix, salt, digest, rate_limit_per_minute, scopes,
         allows_destructive, made_by, holder, created_at)
       VALUES (@id, @organisationId, @name, @prefix, @salt, @digest, @rateLimitPerMinute, @scopes, @allowsDestructive,
         @madeBy, @holder, @createdAt)`,
    ),
    listKeysByPrefix: db.prepare<[string], RawKey>(
      `SELECT ${keyColumns} FROM api_keys WHERE prefix = ? AND revoked_at IS NULL`,
    ),
    listKeys: db.prepare<[string], RawKey>(
      `SELECT ${keyColumns} FROM api_keys WHERE organisation_id = ? AND revoked_at IS NULL
       ORDER BY created_at DESC, rowid DESC`,
    ),
    hasKeys: db.prepare<[], number>('SELECT EXISTS (SELECT 1 FROM api_keys WHERE revoked_at IS NULL)').pluck(),
    revokeKey: db.prepare(
      'UPDATE api_keys SET revoked_at = ? WHERE id = ? AND organisation_id = ? AND revoked_at IS NULL',
    ),
    markKeyUsed: db.prepare('UPDATE api_keys SET last_used_at = ? WHERE id = ?'),
    insertLoginCode: db.prepare('INSERT INTO login_codes (digest, expires_at) VALUES (?, ?)'),
    takeLoginCode: db.prepare<[Buffer], { expiresAt: number }>(
      'DELETE FROM login_codes WHERE digest = ? RETURNING expires_at AS expiresAt',
    ),
    forgetLoginCodes: db.prepare('DELETE FROM login_codes WHERE expires_at < ?'),
  };
}

/** The queries of accounts. Organisations are few and kept in memory: every call asks for its caller's. */
export class AccountStore {
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #organisations = new Map<string, OrganisationRecord>();

  constructor(db: WorkbenchDatabase) {
    this.#statements = prepareStatements(db);
  }

  /** Throws `not_found` for an unknown id. */
  getOrganisation(id: string): OrganisationRecord {
    const known = this.#organisations.get(id);
    if (known !== undefined) return known;
    const organisation = this.#statements.getOrganisation.get(id);
    if (organisation === undefined) throw new WorkbenchError('not_found', 'The organisation does not exist.');
    this.#organisations.set(id, organisation);
    return organisation;
  }

  getFirstOrganisation(): OrganisationRecord | null {
    return this.#statements.getFirstOrganisation.get() ?? null;
  }

  /** Adds an organisation on the plan `local`. */
  insertOrganisation(id: string, name: string, createdAt: number): void {
    this.#statements.insertOrganisation.run(id, name, createdAt, createdAt);
  }

  renameOrganisation(id: string, name: string): void {
    this.#statements.renameOrganisation.run(name, id);
    this.#organisations.delete(id);
  }

  /** Changes the plan; the times at which the trial and a plan of monthly credits were first chosen are kept. */
  setPlan(id: string, plan: PlanName, at: number): void {
    this.#statements.setPlan.run({ id, plan, at });
    this.#organisations.delete(id);
  }

  getUser(id: string): UserRecord | null {
    return this.#statements.getUser.get(id) ?? null;
  }

  /** Returns the user whom an identity provider knows as `subject`, or null. */
  getUserBySubject(issuer: string, subject: string): UserRecord | null {
    return this.#statements.getUserBySubject.get(issuer, subject) ?? null;
  }

  insertUser(user: UserRecord & { issuer: string; subject: string }): void {
    this.#statements.insertUser.run(user);
  }

  renameUser(id: string, name: string): void {
    this.#statements.renameUser.run(name, id);
  }

  insertKey(key: ApiKeyRecord): void {
    const scopes = key.scopes && JSON.stringify(key.scopes);
    this.#statements.insertKey.run({ ...key, scopes, allowsDestructive: Number(key.allowsDestructive) });
  }

  /** Returns the keys in force that begin with `prefix`, of every organisation. */
  listKeysByPrefix(prefix: string): ApiKeyRecord[] {
    return this.#statements.listKeysByPrefix.all(prefix).map(toKey);
  }

  /** Returns an organisation's keys in force, the newest first. */
  listKeys(organisationId: string): ApiKeyRecord[] {
    return this.#statements.listKeys.all(organisationId).map(toKey);
  }

  hasKeys(): boolean {
    return this.#statements.hasKeys.get() === 1;
  }

  /** Returns false when the organisation has no such key in force. */
  revokeKey(id: string, organisationId: string, revokedAt: number): boolean {
    return this.#statements.revokeKey.run(revokedAt, id, organisationId).changes > 0;
  }

  markKeyUsed(id: string, usedAt: number): void {
    this.#statements.markKeyUsed.run(usedAt, id);
  }

  insertLoginCode(digest: Buffer, expiresAt: number): void {
    this.#statements.insertLoginCode.run(digest, expiresAt);
  }

  /** Takes a code away; returns whether it existed and has not expired. */
  takeLoginCode(digest: Buffer, now: number): boolean {
    this.#statements.forgetLoginCodes.run(now);
    const code = this.#statements.takeLoginCode.get(digest);
    return code !== undefined && code.expiresAt >= now;
  }
}
