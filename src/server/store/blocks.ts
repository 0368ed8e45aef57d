/**
 * Totals over tables that only grow at their end (the decision log, the credit ledger). Rows are grouped into blocks
 * by row number; the row that fills a block writes the block's summary in its own transaction. A question is answered
 * from the summaries of the blocks that lie wholly inside its filter or list what it asks for, and from the rows of
 * those at its edges and of the open block at the end. So answers are exact, cheap, and cost a decision nothing.
 */
import type { WorkbenchDatabase } from './database.ts';

export const blockRows = 2_048;
export const toBlockNumber = (seq: number): number => Math.floor(seq / blockRows);
/** True for the row that fills its block: row numbers only go up, so nothing is added to the block after it. */
export const fillsBlock = (seq: number): boolean => seq % blockRows === blockRows - 1;

/**
 * One condition on rows, with what it says about a summary: that rows of it may match, that all of them do, and where a
 * list of the summary tells it, how many do. Each of them takes all the values.
 */
export type Condition = {
  row: string;
  some: string;
  all: string | null;
  count: string | null;
  values: readonly Value[];
};
type Value = string | number;

/** A condition on a column that the summaries are grouped by. */
export const equals = (column: string, value: Value): Condition => ({
  row: `${column} = ?`,
  some: `${column} = ?`,
  all: null,
  count: null,
  values: [value],
});
/** A lower bound of a column whose least and greatest values the summaries hold. */
export const atLeast = (column: string, value: number): Condition => ({
  row: `${column} >= ?`,
  some: `max_${column} >= ?`,
  all: `min_${column} >= ?`,
  count: null,
  values: [value],
});
/** As `atLeast`, from above. */
export const atMost = (column: string, value: number): Condition => ({
  row: `${column} <= ?`,
  some: `min_${column} <= ?`,
  all: `max_${column} <= ?`,
  count: null,
  values: [value],
});
/** Both bounds of a column whose values the summaries list in `list`; one such condition at most in a filter. */
export const between = (column: string, list: string, low: number, high: number): Condition => ({
  row: `${column} BETWEEN ? AND ?`,
  some: `max_${column} >= ? AND min_${column} <= ?`,
  all: null,
  count: `count_between(${list}, ?, ?)`,
  values: [low, high],
});
const valuesOf = (conditions: readonly Condition[]): Value[] => conditions.flatMap(({ values }) => values);

/** Row numbers between which rows match, both included; `n` of them, or null where they must be counted. */
export type Range = { first: number; last: number; n: number | null };

/** Reads one table and its summaries. `sums` are what `summary` adds up, besides the number of rows `n`. */
export function createBlockReader<Name extends string>(
  db: WorkbenchDatabase,
  {
    rows,
    columns,
    blocks,
    sums,
  }: { rows: string; columns: string; blocks: string; sums: Record<Name, { ofBlocks: string; ofRows: string }> },
) {
  // a filter has few shapes, so the statements are few
  const statements = new Map<string, ReturnType<typeof db.prepare<Value[], unknown>>>();
  function all<T>(sql: string, values: readonly Value[]): T[] {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = db.prepare<Value[], unknown>(sql);
      statements.set(sql, statement);
    }
    return statement.all(...values) as T[];
  }
  const highest = db.prepare<[], number | null>(`SELECT max(seq) FROM ${rows}`).pluck();

  const rowsWhere = (filter: readonly Condition[]) =>
    ['seq BETWEEN ? AND ?', ...filter.map((condition) => condition.row)].join(' AND ');
  const rowsValues = (filter: readonly Condition[], { first, last }: Range) => [first, last, ...valuesOf(filter)];

  /** Where rows that match can be, newest first; made at one moment, rows added later are not in it. */
  function ranges(filter: readonly Condition[]): Range[] {
    const edges = filter.filter((condition) => condition.all !== null);
    const whole = edges.map((condition) => condition.all).join(' AND ') || '1';
    const listed = filter.filter((condition) => condition.count !== null);
    const n = listed[0]?.count ?? 'n';
    const some = filter.map((condition) => condition.some).join(' AND ') || '1';
    const found = all<{ first: number; last: number; n: number; whole: number }>(
      `SELECT min(min_seq) AS first, max(max_seq) AS last, min(${whole}) AS whole, sum(${n}) AS n
       FROM ${blocks} WHERE ${some} GROUP BY block ORDER BY block DESC`,
      valuesOf([...edges, ...listed, ...filter]),
    )
      .map((range) => ({ first: range.first, last: range.last, n: range.whole === 1 ? range.n : null }))
      .filter(({ n }) => n !== 0);
    return [...openBlock(), ...found];
  }

  /** The rows behind the last full block, if there are any. */
  function openBlock(): Range[] {
    const last = highest.get() ?? 0;
    const first = toBlockNumber(last + 1) * blockRows;
    return last < first ? [] : [{ first, last, n: null }];
  }

  const names = Object.keys(sums) as Name[];
  const blockSums = ['sum(n) AS n', ...names.map((name) => `${sums[name].ofBlocks} AS ${name}`)].join(', ');
  const rowSums = ['count(*) AS n', ...names.map((name) => `${sums[name].ofRows} AS ${name}`)].join(', ');

  return {
    ranges,
    count: (filter: readonly Condition[], range: Range): number =>
      range.n ??
      all<{ n: number }>(`SELECT count(*) AS n FROM ${rows} WHERE ${rowsWhere(filter)}`, rowsValues(filter, range))[0]
        ?.n ??
      0,
    /** Rows of one range, newest first. */
    read: <T>(filter: readonly Condition[], range: Range, limit: number, offset = 0): T[] =>
      all<T>(`SELECT ${columns} FROM ${rows} WHERE ${rowsWhere(filter)} ORDER BY seq DESC LIMIT ? OFFSET ?`, [
        ...rowsValues(filter, range),
        limit,
        offset,
      ]),
    /** The sums of all rows that match, for each value of the column `by`. */
    summary(filter: readonly Condition[], by: string): Map<string, Record<Name | 'n', number>> {
      const result = new Map<string, Record<Name | 'n', number>>();
      const add = (part: Record<Name | 'n', number> & { of: string }) => {
        const sum = result.get(part.of);
        if (sum === undefined) result.set(part.of, part);
        else for (const name of ['n', ...names] as const) sum[name] += part[name];
      };
      const edges = filter.some((condition) => condition.all !== null);
      const some = filter.map((condition) => condition.some).join(' AND ') || '1';
      const cut = edges ? ranges(filter).filter((range) => range.n === null) : openBlock();
      all<Parameters<typeof add>[0]>(
        `SELECT ${by} AS "of", ${blockSums} FROM ${blocks} WHERE ${some}
           AND block NOT IN (SELECT value FROM json_each(?)) GROUP BY ${by}`,
        [...valuesOf(filter), JSON.stringify(cut.map((range) => toBlockNumber(range.first)))],
      ).forEach(add);
      for (const range of cut) {
        all<Parameters<typeof add>[0]>(
          `SELECT ${by} AS "of", ${rowSums} FROM ${rows} WHERE ${rowsWhere(filter)} GROUP BY ${by}`,
          rowsValues(filter, range),
        ).forEach(add);
      }
      return result;
    },
  };
}
