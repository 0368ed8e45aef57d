/** Who gave the labels of examples that a file brings: their rows, written from the slices that hold the examples. */
import type { ExportedFields } from '../../../engine/export/read-back.ts';

/** Who gave the label of an example, when, and its second reading; null where the file does not say. */
export type GivenLabels = Pick<ExportedFields, 'reader' | 'labelledAtMs' | 'secondReading'>;

/** Notes the labels of a slice whose examples say when they were given. */
export const insertGivenLabels = `INSERT INTO label_history (example_id, decision, reader, given_at)
   SELECT value ->> 'id', value ->> 'decision', value ->> '$.labels.reader', value ->> '$.labels.labelledAtMs'
   FROM json_each(:slice)
   WHERE value ->> 'decision' IS NOT NULL AND value ->> '$.labels.labelledAtMs' IS NOT NULL ORDER BY key`;

/** Adds the second readings of a slice to examples that have none or wait for one. */
export const insertSecondReadings = `INSERT INTO second_readings (example_id, decision_type_id, first_decision,
     first_reader, first_at, decision, reader, note, read_at, settled_at)
   SELECT id, :decisionTypeId, r ->> 'first_decision', r ->> 'first_reader', r ->> 'first_at', r ->> 'decision',
     r ->> 'reader', r ->> 'note', r ->> 'read_at', r ->> 'settled_at'
   FROM (SELECT value ->> 'id' AS id, value -> '$.labels.secondReading' AS r FROM json_each(:slice))
   WHERE r IS NOT NULL AND r <> 'null'
   ON CONFLICT (example_id) DO UPDATE SET first_decision = excluded.first_decision, first_reader = excluded.first_reader,
     first_at = excluded.first_at, decision = excluded.decision, reader = excluded.reader, note = excluded.note,
     read_at = excluded.read_at, settled_at = excluded.settled_at
   WHERE second_readings.decision IS NULL`;
