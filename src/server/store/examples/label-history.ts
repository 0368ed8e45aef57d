/** Who labelled what: the history of each example's labels, and second readings without sight of the first. */
import type { GivenLabel } from '../../../engine/measure/agreement.ts';
import type { WorkbenchDatabase } from '../database.ts';
import type { Value } from './examples.ts';
import type { Chosen } from './kept-rows.ts';

/** Who gives a label (null: not known), and what was suggested for it. */
export type LabelNote = { reader: string | null; suggested?: string | null; note?: string | null };
export type HistoryEntry = {
  kind: 'label' | 'second_reading' | 'settled';
  before: string | null;
  decision: string | null;
  reader: string | null;
  suggested: string | null;
  note: string | null;
  givenAt: number;
};
export type SecondReading = {
  exampleId: string;
  firstDecision: string;
  firstReader: string | null;
  firstAt: number;
  /** Null while it waits. */
  decision: string | null;
  reader: string | null;
  note: string | null;
  readAt: number | null;
  settledAt: number | null;
  /** When both labels were first shown where they differ. */
  shownAt: number | null;
};

type ForDraw = { id: string; isDrawn: 0 | 1; isDrawable: 0 | 1 };
type ReadAlike = Pick<SecondReading, 'firstDecision' | 'firstReader' | 'reader'> & { decision: string; rows: number };

/** After so long a reader may read their own label again. */
export const ownAgainMs = 7 * 86_400_000;
const maxShown = 100;
/** The newest examples whose readers are counted. */
const maxCounted = 20_000;

const readingColumns = `r.example_id AS exampleId, r.first_decision AS firstDecision, r.first_reader AS firstReader,
  r.first_at AS firstAt, r.decision, r.reader, r.note, r.read_at AS readAt, r.settled_at AS settledAt,
  r.shown_at AS shownAt`;
/** Second readings whose two labels differ, until one person has decided. */
export const isConflict = 'decision <> label AND settled_at IS NULL';
/** Those to come. */
export const isWaiting = 'decision IS NULL AND label IS NOT NULL';
const lastLabel = (column: string) =>
  `(SELECT ${column} FROM label_history h WHERE h.example_id = e.id AND h.kind <> 'second_reading'
     AND h.decision = e.decision ORDER BY seq DESC LIMIT 1)`;
const draw = `INSERT INTO second_readings (example_id, decision_type_id, first_decision, first_reader, first_at)
  SELECT e.id, e.decision_type_id, e.decision, ${lastLabel('reader')}, ifnull(${lastLabel('given_at')}, e.created_at)
  FROM examples e WHERE e.id IN (SELECT value FROM json_each(?))`;

function prepareStatements(db: WorkbenchDatabase) {
  return {
    lastSeq: db.prepare<[], number>('SELECT ifnull(max(seq), 0) FROM label_history').pluck(),
    attribute: db.prepare(
      `UPDATE label_history SET reader = @reader, suggested = @suggested, kind = @kind, note = @note
       WHERE seq > @since`,
    ),
    add: db.prepare(
      `INSERT INTO label_history (example_id, kind, before, decision, reader, suggested, note, given_at)
       VALUES (@exampleId, @kind, @before, @decision, @reader, @suggested, @note, @at)`,
    ),
    list: db.prepare<[string, number], HistoryEntry>(
      `SELECT kind, before, decision, reader, suggested, note, given_at AS givenAt FROM label_history
       WHERE example_id = ? ORDER BY seq DESC LIMIT ?`,
    ),
    draw: db.prepare(draw),
    find: db.prepare<[string], SecondReading>(`SELECT ${readingColumns} FROM second_readings r WHERE r.example_id = ?`),
    write: db.prepare(
      `UPDATE second_readings SET first_decision = @firstDecision, decision = @decision, reader = @reader,
         note = @note, read_at = @readAt, settled_at = @settledAt WHERE example_id = @exampleId`,
    ),
    show: db.prepare('UPDATE second_readings SET shown_at = ? WHERE example_id = ? AND shown_at IS NULL'),
    labels: db.prepare<[{ typeId: string }], ReadAlike>(
      `SELECT first_decision AS firstDecision, first_reader AS firstReader, decision, reader, count(*) AS "rows"
       FROM second_readings WHERE decision_type_id = @typeId AND decision IS NOT NULL GROUP BY 1, 2, 3, 4`,
    ),
    counts: db.prepare<[{ typeId: string }], { drawn: number; waiting: number; conflicts: number; settled: number }>(
      `SELECT count(*) AS drawn, count(*) FILTER (WHERE decision IS NULL) AS waiting,
         count(*) FILTER (WHERE ${isConflict}) AS conflicts, count(settled_at) AS settled
       FROM second_readings WHERE decision_type_id = @typeId AND label IS NOT NULL`,
    ),
    renameLabels: db.prepare(
      `UPDATE label_history SET decision = iif(decision = @from, @to, decision), before = iif(before = @from, @to, before)
       WHERE example_id IN (SELECT value FROM json_each(@ids)) AND @from IN (decision, before)`,
    ),
    renameReadings: db.prepare(
      `UPDATE second_readings SET first_decision = iif(first_decision = @from, @to, first_decision),
         decision = iif(decision = @from, @to, decision) WHERE example_id IN (SELECT value FROM json_each(@ids))`,
    ),
    // An index finds the last label of each example.
    readers: db.prepare<[string, number], { reader: string | null; rows: number }>(
      `SELECT h.reader, count(*) AS "rows"
       FROM (SELECT id, decision FROM examples WHERE decision_type_id = ? ORDER BY seq DESC LIMIT ?) e
       JOIN label_history h ON h.seq = (SELECT max(l.seq) FROM label_history l
         WHERE l.example_id = e.id AND l.kind <> 'second_reading' AND l.decision = e.decision)
       GROUP BY h.reader ORDER BY 2 DESC`,
    ),
    forgetSince: db.prepare('DELETE FROM label_history WHERE seq > ?'),
  };
}

/** Reads and writes the history of labels and the second readings, in transactions of the caller. */
export function createLabelHistoryStore(db: WorkbenchDatabase) {
  const statements = prepareStatements(db);
  const readSince = () => statements.lastSeq.get() ?? 0;
  return {
    /** Runs what gives labels, and notes who gives them; the database has noted which. */
    by<T>({ reader, suggested = null, note = null }: LabelNote, kind: HistoryEntry['kind'], give: () => T): T {
      const since = readSince();
      const given = give();
      statements.attribute.run({ since, reader, suggested, note, kind });
      return given;
    },
    /** Notes a label that changes none: a second reading, or one that settles or confirms what is there. */
    add(
      exampleId: string,
      entry: Pick<HistoryEntry, 'kind' | 'before' | 'decision' | 'reader' | 'note'>,
      at: number,
    ): void {
      statements.add.run({ exampleId, suggested: null, ...entry, at });
    },
    /** Gives an option its new name wherever a label of some examples names it; `rename` renames these. */
    renameOption({ sql, values }: Chosen, from: string, to: string, rename: () => number): number {
      const ids = db
        .prepare<Value[], string>(`SELECT json_group_array(id) FROM examples WHERE ${sql}`)
        .pluck()
        .get(...values);
      const since = readSince();
      const renamed = rename();
      // Nobody gave another label.
      statements.forgetSince.run(since);
      statements.renameLabels.run({ ids, from, to });
      statements.renameReadings.run({ ids, from, to });
      return renamed;
    },
    /** The newest 100 labels of an example, newest first. */
    list: (exampleId: string): HistoryEntry[] => statements.list.all(exampleId, maxShown),
    /** The labelled ones of some examples, in random order; one with a mark cannot be drawn. */
    listForDraw: (chosen: Chosen): ForDraw[] =>
      db
        .prepare<Value[], ForDraw>(
          `SELECT e.id, r.example_id IS NOT NULL AS isDrawn, r.example_id IS NULL AND e.mark IS NULL AS isDrawable
           FROM (SELECT id, mark FROM examples WHERE ${chosen.sql} AND decision IS NOT NULL) e
           LEFT JOIN second_readings r ON r.example_id = e.id ORDER BY random()`,
        )
        .all(...chosen.values),
    /** Chooses examples to be read again. */
    draw(ids: readonly string[]): void {
      statements.draw.run(JSON.stringify(ids));
    },
    /** Notes that both labels of an example are shown. */
    noteShown(exampleId: string, at: number): void {
      statements.show.run(at, exampleId);
    },
    find: (exampleId: string): SecondReading | null => statements.find.get(exampleId) ?? null,
    write(reading: SecondReading): void {
      statements.write.run(reading);
    },
    /** The two labels of examples that were read twice, alike ones once; a reader's own second one is marked. */
    listLabels: (typeId: string): GivenLabel[] =>
      statements.labels.all({ typeId }).flatMap(({ firstDecision, firstReader, decision, reader, rows }, at) => {
        const first = firstReader ?? 'No name';
        const second = reader ?? 'No name';
        const alike = { row: String(at), rows };
        return [
          { ...alike, reader: first, option: firstDecision },
          { ...alike, reader: second === first ? `${second}, again` : second, option: decision },
        ];
      }),
    /** Who gave the labels of the newest examples, with how many; a reader without a name is null. */
    countByReader: (typeId: string) => statements.readers.all(typeId, maxCounted),
    count: (typeId: string): { drawn: number; waiting: number; conflicts: number; settled: number } =>
      statements.counts.get({ typeId }) ?? { drawn: 0, waiting: 0, conflicts: 0, settled: 0 },
  };
}

export type LabelHistoryStore = ReturnType<typeof createLabelHistoryStore>;
