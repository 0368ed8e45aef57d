/** Finds out what the fields of a type's examples hold. */
import { useMemo } from 'react';
import type { RulesAnalysis } from '../../../server/contract/types/rules.ts';
import { useOperation } from '../../state/queries.ts';

export type SeenFields = ReadonlyMap<string, RulesAnalysis['fields'][number]>;

/** The values in examples change slowly, and the survey reads thousands of them. */
const freshMs = 300_000;

/** Asks what the fields of the newest examples hold, by dotted path. */
export function useSeenFields(typeId: string): SeenFields {
  const input = { params: { decision_type_id: typeId }, body: { rules: [] } };
  const { data } = useOperation('rules.analyse', input, { staleMs: freshMs });
  return useMemo(() => {
    const leaves = data?.fields.filter(({ types }) => types.some((type) => type !== 'map' && type !== 'null')) ?? [];
    return new Map(leaves.map((field) => [field.path.join('.'), field]));
  }, [data]);
}
