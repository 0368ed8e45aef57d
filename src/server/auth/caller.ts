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
