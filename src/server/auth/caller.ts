/** Who calls: every query takes its organisation from here. */
export type Caller = {
  kind: 'key' | 'jwt';
  organisationId: string;
  /** Integer key of the organisation, used in the ledger. */
  organisationSeq: number;
  apiKeyId: string | null;
  userId: string | null;
  role: 'owner' | 'member';
};

/** Whom the large calls of a caller are counted for: its key, or the person. */
export function toCallerId({ apiKeyId, userId, organisationId }: Caller): string {
  return apiKeyId ?? userId ?? organisationId;
}
