/** Organisations, users, API keys and one-time login codes. */
import { z } from 'zod';
import { WorkbenchError } from '../../../engine/errors.ts';
import { type PlanName, planNames } from '../../contract/account/account.ts';
import { scopes } from '../../contract/operation.ts';
import type { WorkbenchDatabase } from '../database.ts';
import { defineRecord, flag, orNull, plain, type RecordOf, trustedJson, values } from '../record.ts';

const { id, text, count, time, bytes } = values;
const organisationColumns = {
  seq: plain('seq', count),
  id: plain('id', id),
  name: plain('name', text),
  plan: plain('plan', z.literal(planNames)),
  planSince: plain('plan_since', time),
  /** When the trial was first chosen, or null. */
  trialSince: orNull(plain('trial_since', time)),
  /** When a plan of monthly credits was first chosen, or null. */
  monthlySince: orNull(plain('monthly_since', time)),
  createdAt: plain('created_at', time),
};
export const organisationTable = defineRecord('organisations', organisationColumns);
export type OrganisationRecord = RecordOf<typeof organisationColumns>;

const userColumns = {
  id: plain('id', id),
  issuer: plain('issuer', text),
  subject: plain('subject', text),
  organisationId: plain('organisation_id', id),
  email: orNull(plain('email', text)),
  name: plain('name', text),
  role: plain('role', z.literal(['owner', 'member'])),
  createdAt: plain('created_at', time),
};
export const userTable = defineRecord('users', userColumns);
type NewUser = RecordOf<typeof userColumns>;
export type UserRecord = Omit<NewUser, 'issuer' | 'subject'>;

const keyColumns = {
  id: plain('id', id),
  organisationId: plain('organisation_id', id),
  name: plain('name', text),
  prefix: plain('prefix', text),
  salt: plain('salt', bytes),
  digest: plain('digest', bytes),
  rateLimitPerMinute: plain('rate_limit_per_minute', count),
  scopes: orNull(trustedJson('scopes', z.array(z.literal(scopes)))),
  allowsDestructive: flag('allows_destructive'),
  /** Id of the person who made it; null where that is not known. */
  madeBy: orNull(plain('made_by', id)),
  /** Who holds it, if not the one who made it. */
  holder: orNull(plain('holder', text)),
  createdAt: plain('created_at', time),
  lastUsedAt: orNull(plain('last_used_at', time)),
};
export const keyTable = defineRecord('api_keys', keyColumns);
export type ApiKeyRecord = RecordOf<typeof keyColumns>;
type RawKey = Record<keyof ApiKeyRecord, unknown>;

function prepareStatements(db: WorkbenchDatabase) {
  return {
    getOrganisation: db.prepare<[string], OrganisationRecord>(
      `SELECT ${organisationTable.select()} FROM organisations WHERE id = ?`,
    ),
    getFirstOrganisation: db.prepare<[], OrganisationRecord>(
      `SELECT ${organisationTable.select()} FROM organisations ORDER BY seq LIMIT 1`,
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
    getUser: db.prepare<[string], UserRecord>(`SELECT ${userTable.select()} FROM users WHERE id = ?`),
    getUserBySubject: db.prepare<[string, string], UserRecord>(
      `SELECT ${userTable.select()} FROM users WHERE issuer = ? AND subject = ?`,
    ),
    insertUser: userTable.prepareInsert(db),
    renameUser: db.prepare('UPDATE users SET name = ? WHERE id = ?'),
    insertKey: keyTable.prepareInsert(db),
    listKeysByPrefix: db.prepare<[string], RawKey>(
      `SELECT ${keyTable.select()} FROM api_keys WHERE prefix = ? AND revoked_at IS NULL`,
    ),
    listKeys: db.prepare<[string], RawKey>(
      `SELECT ${keyTable.select()} FROM api_keys WHERE organisation_id = ? AND revoked_at IS NULL
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

  insertUser(user: NewUser): void {
    this.#statements.insertUser(user);
  }

  renameUser(id: string, name: string): void {
    this.#statements.renameUser.run(name, id);
  }

  insertKey(key: ApiKeyRecord): void {
    this.#statements.insertKey(key);
  }

  /** Returns the keys in force that begin with `prefix`, of every organisation. */
  listKeysByPrefix(prefix: string): ApiKeyRecord[] {
    return this.#statements.listKeysByPrefix.all(prefix).map(keyTable.read);
  }

  /** Returns an organisation's keys in force, the newest first. */
  listKeys(organisationId: string): ApiKeyRecord[] {
    return this.#statements.listKeys.all(organisationId).map(keyTable.read);
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
