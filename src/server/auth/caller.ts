import type { Scope } from '../contract/operation.ts';

/** Who calls: every query takes its organisation from here. */
export type Caller = {
  kind: 'key' | 'jwt';
  organisationId: string;
  /** Integer key of the organisation, used in the ledger. */
  organisationSeq: number;
  apiKeyId: string | null;
  userId: string | null;
  role: 'owner' | 'member';
  scopes: readonly Scope[] | null;
  /** Whether agents may call tools that replace or remove something. */
  allowsDestructive: boolean;
};

/** Whom calls, connections, streams and receipts are counted for: the API key, or the person. */
export function toCallerId({ apiKeyId, userId, organisationId }: Caller): string {
  return apiKeyId ?? userId ?? organisationId;
}
