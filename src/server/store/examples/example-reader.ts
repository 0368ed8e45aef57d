/** Reading the examples of a type from another process, beside the one that writes. */
import Database from 'better-sqlite3';
import type { Readings } from '../../../engine/domain/definition.ts';
import type { FindingRow } from '../../../engine/findings/finding.ts';
import type { LabelCheck } from '../../../engine/findings/labels.ts';
import type { JudgedRow } from '../../../engine/findings/slices.ts';
import type { RecordedRow } from '../../../engine/measure/reapply.ts';
import { compileReadings, type ReadInput } from '../../../engine/readings/readings.ts';
import { fewSql, measuredColumns, type RawMeasured, toMeasured } from './held-out.ts';

/** The check of labels that counts; examples changed after `createdAt` (milliseconds since 1970) are not meant. */
type SearchOfLabels = { id: string; createdAt: number };

/** Labels that a search found suspect and nobody has changed or confirmed since; undone reviews do not count. */
export const suspectsSql = `FROM label_checks c JOIN examples e ON e.id = c.example_id
  WHERE c.search_id = @id AND c.suspect = 1 AND c.confirmed * e.reviewed = 0 AND e.decision_type_id = @typeId
    AND e.decision = c.label AND e.updated_at <= @createdAt AND c.likelier IN (SELECT value FROM json_each(@options))`;

type RawJudged = { input: string; isWrong: number; isEscalated: number };
type RawRow = Omit<FindingRow, 'input' | 'heldOut'> & { seq: number; input: string; heldOut: number };
type RawDecided = { input: string; isRuled: number; unfamiliar: number | null; policyVersion: string };
type RawCheck = Omit<LabelCheck, 'suspect'> & { suspect: number };

const rowsPerRead = 1_000;
/** Log records of all types among which the newest of one are looked for. */
const maxSearchedRecords = 200_000;

function openStatements(db: Database.Database) {
  return {
    count: db.prepare<[string], number>('SELECT count(*) FROM examples WHERE decision_type_id = ?').pluck(),
    after: db.prepare<[{ typeId: string; policyId: string; after: number; limit: number }], RawRow>(
      `SELECT e.seq, e.id, e.input, e.decision, iif(e.reviewed, e.updated_at, NULL) AS reviewedAt, EXISTS (SELECT 1 FROM held_out_predictions h
         WHERE h.policy_id = @policyId AND h.example_id = e.id) AS heldOut
       FROM examples e WHERE e.decision_type_id = @typeId AND e.seq > @after ORDER BY e.seq LIMIT @limit`,
    ),
    suspects: db.prepare<[SearchOfLabels & { typeId: string; options: string }], RawCheck>(
      `SELECT c.example_id, c.label, c.probability, c.likelier, c.likelier_probability, c.doubt, c.suspect
       ${suspectsSql} ORDER BY c.doubt DESC, c.example_id`,
    ),
    few: db.prepare<[string], string>(fewSql).pluck(),
    heldOut: db.prepare<[{ policyId: string; after: string; limit: number }], RawMeasured & { id: string }>(
      `SELECT p.example_id AS id, e.input, ${measuredColumns}
       FROM held_out_predictions p JOIN examples e ON e.id = p.example_id
       WHERE p.policy_id = @policyId AND p.example_id > @after ORDER BY p.example_id LIMIT @limit`,
    ),
    corrections: db.prepare<[string, number, number], { seq: number; logId: string }>(
      `SELECT seq, log_id AS logId FROM examples
       WHERE decision_type_id = ? AND seq > ? AND log_id IS NOT NULL ORDER BY seq LIMIT ?`,
    ),
    newest: db
      .prepare<[string, number], string>(
        `SELECT input FROM examples WHERE decision_type_id = ? AND decision IS NOT NULL AND log_id IS NULL
         ORDER BY seq DESC LIMIT ?`,
      )
      .pluck(),
    decided: db.prepare<[number, number, number], RawDecided>(
      `SELECT input, stage = 'rules' AS isRuled, unfamiliar, policy_version AS policyVersion FROM decision_logs WHERE decision_type_seq = ? AND removed_at IS NULL
         AND seq > (SELECT max(seq) FROM decision_logs) - ? ORDER BY seq DESC LIMIT ?`,
    ),
    decidedIn: db
      .prepare<[number, number, number, number, number], string>(
        `SELECT input FROM decision_logs WHERE decision_type_seq = ? AND removed_at IS NULL
           AND seq > (SELECT max(seq) FROM decision_logs) - ? AND created_at >= ? AND created_at < ?
         ORDER BY seq DESC LIMIT ?`,
      )
      .pluck(),
    corrected: db.prepare<[number, string, string], RawJudged>(
      `SELECT input, decision <> corrected_decision AS isWrong, escalated AS isEscalated
       FROM decision_logs WHERE seq = ? AND id = ? AND policy_version = ? AND corrected_decision IS NOT NULL`,
    ),
  };
}

/** Opens a connection that only reads, in short turns; inputs are read by `readings`. Throws without a file. */
export function openExampleReader(file: string, readings: Readings) {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 });
  const statements = openStatements(db);
  const read = compileReadings(readings);
  const readJson = (input: string): ReadInput => read(JSON.parse(input));

  return {
    count: (typeId: string): number => statements.count.get(typeId) ?? 0,
    /** Yields the examples of a type, oldest first, some at a time. */
    *readExamples(typeId: string, policyId: string | null): Generator<FindingRow[]> {
      for (let after = -1; ; ) {
        const rows = statements.after.all({ typeId, policyId: policyId ?? '', after, limit: rowsPerRead });
        yield rows.map(({ seq: _, input, heldOut, ...row }) => ({
          ...row,
          input: readJson(input).input,
          heldOut: heldOut === 1,
        }));
        after = rows.at(-1)?.seq ?? after;
        if (rows.length < rowsPerRead) return;
      }
    },
    /** Returns the inputs of the newest labelled examples, those that live decisions became left out. */
    readNewestInputs: (typeId: string, maxRows: number) => statements.newest.all(typeId, maxRows).map(readJson),
    /** Returns the inputs of the newest decisions of a type, as far as they are among the newest of all types. */
    readDecided: (typeSeq: number, maxRows: number) =>
      statements.decided
        .all(typeSeq, maxSearchedRecords, maxRows)
        .map(({ input, isRuled, unfamiliar, policyVersion }) => ({
          ...readJson(input),
          isRuled: isRuled === 1,
          unfamiliar: unfamiliar === 1,
          policyVersion,
        })),
    /** Returns the newest inputs that were decided in a time, in milliseconds; as `readDecided`. */
    readDecidedIn: (typeSeq: number, { from, before }: { from: number; before: number }, maxRows: number) =>
      statements.decidedIn.all(typeSeq, maxSearchedRecords, from, before, maxRows).map(readJson),
    /** The suspect labels of a search, the most certain first; those of examples changed since are left out. */
    readSuspects: (typeId: string, { id, createdAt }: SearchOfLabels, options: readonly string[]): LabelCheck[] =>
      statements.suspects
        .all({ id, createdAt, typeId, options: JSON.stringify(options) })
        .map((check) => ({ ...check, suspect: check.suspect === 1 })),
    /** Yields what a policy said about its held-out examples that are still there and as they were measured. */
    *readHeldOut(policyId: string): Generator<(RecordedRow & ReadInput)[]> {
      const few = statements.few.all(policyId);
      for (let after = ''; ; ) {
        const rows = statements.heldOut.all({ policyId, after, limit: rowsPerRead });
        yield rows
          .map((row) => toMeasured(row, few))
          .flatMap(({ input, ...row }) => (input === null ? [] : [{ ...row, ...read(input) }]));
        after = rows.at(-1)?.id ?? after;
        if (rows.length < rowsPerRead) return;
      }
    },
    /** Yields a policy's logged decisions that somebody has corrected or confirmed. */
    *readCorrected(typeId: string, policyVersion: string): Generator<JudgedRow[]> {
      for (let after = -1; ; ) {
        const examples = statements.corrections.all(typeId, after, rowsPerRead);
        yield examples.flatMap(({ logId }) => {
          // The id of a record ends in its row number. One that came with a type from elsewhere is of no record here.
          const row = statements.corrected.get(Number.parseInt(logId.slice(24), 16), logId, policyVersion);
          if (row === undefined) return [];
          return [{ ...readJson(row.input), isWrong: row.isWrong === 1, isEscalated: row.isEscalated === 1 }];
        });
        after = examples.at(-1)?.seq ?? after;
        if (examples.length < rowsPerRead) return;
      }
    },
    close(): void {
      db.close();
    },
  };
}

export type ExampleReader = ReturnType<typeof openExampleReader>;
