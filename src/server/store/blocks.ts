/**
 * Totals over tables that only grow at their end (the decision log, the credit ledger). Rows are grouped into blocks
 * by row number; the row that fills a block writes the block's summary in its own transaction. A question is answered
 * from the summaries of the blocks that lie wholly inside its filter or list what it asks for, and from the rows of
 * those at its edges and of the open block at the end. So answers are exact, cheap, and cost a decision nothing.
 */
import type { Statement } from 'better-sqlite3';
import type { WorkbenchDatabase } from './database.ts';

export const blockRows = 2_048;
/** The number of the block that holds the row with this sequence number. */
export const toBlockNumber = (seq: number): number => Math.floor(seq / blockRows);
/** True for the row that fills its block: row numbers only go up, so nothing is added to the block after it. */
export const fillsBlock = (seq: number): boolean => seq % blockRows === blockRows - 1;

/**
 * One condition on rows as SQL, with what it says about a summary: that some of its rows may match, that all of them
 * do, and how many do where a list in the summary tells it. Each of these texts takes all the values.
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
/** A lower bound of a column whose minimum and maximum the summaries hold. */
export const atLeast = (column: string, value: number): Condition => ({
  row: `${column} >= ?`,
  some: `max_${column} >= ?`,
  all: `min_${column} >= ?`,
  count: null,
  values: [value],
});
/** An upper bound of a column whose minimum and maximum the summaries hold. */
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

/** Row numbers between which rows match, both included; `n` of them, or null where they must be counted. */
export type Range = { first: number; last: number; n: number | null };

/** A table with its summaries: `sums` are what `summary` adds up from either, besides the number of rows `n`. */
type BlockTable<Name extends string> = {
  rows: string;
  /** The filter of `read`. */
  columns: string;
  blocks: string;
  /** A condition without values that rows must meet to count; the summaries leave out the others as well. */
  present?: string;
  sums: Record<Name, { ofBlocks: string; ofRows: string }>;
};

export class BlockReader<Name extends string> {
  readonly #db: WorkbenchDatabase;
  readonly #table: BlockTable<Name>;
  readonly #names: Name[];
  readonly #blockSums: string;
  readonly #rowSums: string;
  /** By their SQL: a filter has few shapes, so the statements are few. */
  readonly #statements = new Map<string, Statement<Value[], unknown>>();

  constructor(db: WorkbenchDatabase, table: BlockTable<Name>) {
    this.#db = db;
    this.#table = table;
    this.#names = Object.keys(table.sums) as Name[];
    const { sums } = table;
    this.#blockSums = ['sum(n) AS n', ...this.#names.map((name) => `${sums[name].ofBlocks} AS ${name}`)].join(', ');
    this.#rowSums = ['count(*) AS n', ...this.#names.map((name) => `${sums[name].ofRows} AS ${name}`)].join(', ');
  }

  ranges(filter: readonly Condition[]): Range[] {
    const edges = filter.filter((condition) => condition.all !== null);
    const whole = edges.map((condition) => condition.all).join(' AND ') || '1';
    const listed = filter.filter((condition) => condition.count !== null);
    const n = listed[0]?.count ?? 'n';
    const some = filter.map((condition) => condition.some).join(' AND ') || '1';
    const closed = this.#all<{ first: number; last: number; n: number; whole: number }>(
      `SELECT min(min_seq) AS first, max(max_seq) AS last, min(${whole}) AS whole, sum(${n}) AS n
       FROM ${this.#table.blocks} WHERE ${some} GROUP BY block ORDER BY block DESC`,
      toValues([...edges, ...listed, ...filter]),
    )
      .map((range) => ({ first: range.first, last: range.last, n: range.whole === 1 ? range.n : null }))
      .filter((range) => range.n !== 0);
    return [...this.#openBlock(), ...closed];
  }

  /** Returns the number of rows of a range that match. */
  count(filter: readonly Condition[], range: Range): number {
    if (range.n !== null) return range.n;
    const sql = `SELECT count(*) AS n FROM ${this.#table.rows} WHERE ${this.#toRowsWhere(filter)}`;
    return this.#all<{ n: number }>(sql, toRowsValues(filter, range))[0]?.n ?? 0;
  }

  /** Returns rows of one range that match, newest first. */
  read<Row>(filter: readonly Condition[], range: Range, limit: number, offset = 0): Row[] {
    const { columns, rows } = this.#table;
    const sql = `SELECT ${columns} FROM ${rows} WHERE ${this.#toRowsWhere(filter)} ORDER BY seq DESC LIMIT ? OFFSET ?`;
    return this.#all<Row>(sql, [...toRowsValues(filter, range), limit, offset]);
  }

  /** Returns the sums of all rows that match, for each value of the column `by`. */
  summary<Of = string>(filter: readonly Condition[], by: string): Map<Of, Record<Name | 'n', number>> {
    const { rows, blocks } = this.#table;
    const hasEdges = filter.some((condition) => condition.all !== null);
    const some = filter.map((condition) => condition.some).join(' AND ') || '1';
    const cut = hasEdges ? this.ranges(filter).filter((range) => range.n === null) : this.#openBlock();
    type Part = Record<Name | 'n', number> & { of: Of };
    const parts = this.#all<Part>(
      `SELECT ${by} AS "of", ${this.#blockSums} FROM ${blocks} WHERE ${some}
         AND block NOT IN (SELECT value FROM json_each(?)) GROUP BY ${by}`,
      [...toValues(filter), JSON.stringify(cut.map((range) => toBlockNumber(range.first)))],
    );
    for (const range of cut) {
      const sql = `SELECT ${by} AS "of", ${this.#rowSums} FROM ${rows} WHERE ${this.#toRowsWhere(filter)} GROUP BY ${by}`;
      parts.push(...this.#all<Part>(sql, toRowsValues(filter, range)));
    }
    const sums = new Map<Of, Record<Name | 'n', number>>();
    for (const part of parts) {
      const sum = sums.get(part.of);
      if (sum === undefined) sums.set(part.of, part);
      else for (const name of ['n', ...this.#names] as const) sum[name] += part[name];
    }
    return sums;
  }

  /** Returns the rows behind the last full block, if there are any. */
  #openBlock(): Range[] {
    const [highest] = this.#all<{ seq: number | null }>(`SELECT max(seq) AS seq FROM ${this.#table.rows}`, []);
    const last = highest?.seq ?? 0;
    const first = toBlockNumber(last + 1) * blockRows;
    return last < first ? [] : [{ first, last, n: null }];
  }

  #toRowsWhere(filter: readonly Condition[]): string {
    const present = this.#table.present ?? '1';
    return ['seq BETWEEN ? AND ?', ...filter.map((condition) => condition.row), present].join(' AND ');
  }

  #all<Row>(sql: string, values: readonly Value[]): Row[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare<Value[], unknown>(sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...values) as Row[];
  }
}

function toValues(conditions: readonly Condition[]): Value[] {
  return conditions.flatMap(({ values }) => values);
}

function toRowsValues(filter: readonly Condition[], { first, last }: Range): Value[] {
  return [first, last, ...toValues(filter)];
}
