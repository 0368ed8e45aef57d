/** What evaluated policies said about the examples they had not seen. */
import type { WorkbenchDatabase } from './database.ts';

export type HeldOutRecord = {
  example_id: string;
  input: string | null;
  expected: string;
  predicted: string;
  confidence: number;
};
export type ComparedRecord = Omit<HeldOutRecord, 'predicted' | 'confidence'> & {
  first: string;
  second: string;
  first_confidence: number;
  second_confidence: number;
};
export type ComparisonCounts = {
  rows: number;
  both_right: number;
  both_wrong: number;
  only_first_right: number;
  only_second_right: number;
};

const confidenceOf = (alias: string) => `(SELECT max(value) FROM json_each(${alias}.probabilities))`;

export function createHeldOutStore(db: WorkbenchDatabase) {
  const wanted = `FROM held_out_predictions p WHERE p.policy_id = @policyId
    AND (@expected IS NULL OR p.expected = @expected) AND (@predicted IS NULL OR p.predicted = @predicted)`;
  type Wanted = { policyId: string; expected: string | null; predicted: string | null };
  const count = db.prepare<[Wanted], number>(`SELECT count(*) ${wanted}`).pluck();
  const rows = db.prepare<[Wanted & { limit: number; offset: number }], HeldOutRecord>(
    `SELECT p.example_id, (SELECT input FROM examples WHERE id = p.example_id) AS input, p.expected, p.predicted,
       ${confidenceOf('p')} AS confidence ${wanted} ORDER BY confidence DESC, p.example_id LIMIT @limit OFFSET @offset`,
  );
  const both = `FROM held_out_predictions a JOIN held_out_predictions b
    ON b.example_id = a.example_id AND b.expected = a.expected AND b.policy_id = @second WHERE a.policy_id = @first`;
  type Pair = { first: string; second: string };
  const counts = db.prepare<[Pair], ComparisonCounts>(
    `SELECT count(*) AS rows,
       total(a.predicted = a.expected AND b.predicted = b.expected) AS both_right,
       total(a.predicted <> a.expected AND b.predicted <> b.expected) AS both_wrong,
       total(a.predicted = a.expected AND b.predicted <> b.expected) AS only_first_right,
       total(a.predicted <> a.expected AND b.predicted = b.expected) AS only_second_right ${both}`,
  );
  const changed = db.prepare<[Pair & { limit: number; offset: number }], ComparedRecord>(
    `SELECT a.example_id, (SELECT input FROM examples WHERE id = a.example_id) AS input, a.expected,
       a.predicted AS first, b.predicted AS second, ${confidenceOf('a')} AS first_confidence,
       ${confidenceOf('b')} AS second_confidence ${both} AND (a.predicted = a.expected) <> (b.predicted = b.expected)
     ORDER BY (a.predicted = a.expected) DESC, a.expected, a.example_id LIMIT @limit OFFSET @offset`,
  );
  const nothing: ComparisonCounts = {
    rows: 0,
    both_right: 0,
    both_wrong: 0,
    only_first_right: 0,
    only_second_right: 0,
  };
  return {
    /** One page of a policy's held-out rows, surest first, with the number of all that match. */
    page(wantedRows: Wanted, page: number, pageSize: number): { rows: HeldOutRecord[]; total: number } {
      const found = rows.all({ ...wantedRows, limit: pageSize, offset: (page - 1) * pageSize });
      return { rows: found, total: count.get(wantedRows) ?? 0 };
    },
    /** Counts over the rows that both policies held out, and one page of those that only one of them gets right. */
    compare(pair: Pair, page: number, pageSize: number): { counts: ComparisonCounts; rows: ComparedRecord[] } {
      const found = changed.all({ ...pair, limit: pageSize, offset: (page - 1) * pageSize });
      return { counts: counts.get(pair) ?? nothing, rows: found };
    },
  };
}
