-- How many examples stand where, kept by each change: no call of somebody who labels counts the rows of a type.
CREATE TABLE example_counts (
  decision_type_id TEXT NOT NULL,
  -- As JSON, 'null' without a label: an option is any text.
  label TEXT NOT NULL,
  mark TEXT NOT NULL,
  source TEXT NOT NULL,
  reviewed INTEGER NOT NULL,
  audited INTEGER NOT NULL,
  by_teacher INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (decision_type_id, label, mark, source, reviewed, audited, by_teacher)
) STRICT, WITHOUT ROWID;
INSERT INTO example_counts
  SELECT decision_type_id, json_quote(decision), ifnull(mark, ''), source, reviewed, audited, by_teacher, count(*)
  FROM examples GROUP BY 1, 2, 3, 4, 5, 6, 7;
CREATE TRIGGER examples_count_new AFTER INSERT ON examples BEGIN
  INSERT INTO example_counts VALUES (NEW.decision_type_id, json_quote(NEW.decision), ifnull(NEW.mark, ''), NEW.source,
    NEW.reviewed, NEW.audited, NEW.by_teacher, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER examples_count_gone AFTER DELETE ON examples BEGIN
  UPDATE example_counts SET n = n - 1 WHERE decision_type_id = OLD.decision_type_id
    AND label = json_quote(OLD.decision) AND mark = ifnull(OLD.mark, '') AND source = OLD.source
    AND reviewed = OLD.reviewed AND audited = OLD.audited AND by_teacher = OLD.by_teacher;
END;
CREATE TRIGGER examples_count_moved AFTER UPDATE OF decision, mark, reviewed, audited, by_teacher ON examples
WHEN NEW.decision IS NOT OLD.decision OR NEW.mark IS NOT OLD.mark OR NEW.reviewed <> OLD.reviewed
  OR NEW.audited <> OLD.audited OR NEW.by_teacher <> OLD.by_teacher BEGIN
  UPDATE example_counts SET n = n - 1 WHERE decision_type_id = OLD.decision_type_id
    AND label = json_quote(OLD.decision) AND mark = ifnull(OLD.mark, '') AND source = OLD.source
    AND reviewed = OLD.reviewed AND audited = OLD.audited AND by_teacher = OLD.by_teacher;
  INSERT INTO example_counts VALUES (NEW.decision_type_id, json_quote(NEW.decision), ifnull(NEW.mark, ''), NEW.source,
    NEW.reviewed, NEW.audited, NEW.by_teacher, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
DROP INDEX examples_by_label;
CREATE INDEX examples_by_label ON examples (decision_type_id, decision);
CREATE INDEX examples_open ON examples (decision_type_id, audited, seq) WHERE decision IS NULL AND mark IS NULL;
CREATE INDEX examples_corrected ON examples (decision_type_id, updated_at)
  WHERE log_id IS NOT NULL AND audited = 0;

-- The label that the example has now stands beside its second reading: the two queues need no look at the example.
ALTER TABLE second_readings ADD COLUMN label TEXT;
UPDATE second_readings SET label = (SELECT decision FROM examples WHERE id = example_id);
CREATE TRIGGER second_readings_note_label AFTER INSERT ON second_readings BEGIN
  UPDATE second_readings SET label = (SELECT decision FROM examples WHERE id = NEW.example_id)
  WHERE example_id = NEW.example_id;
END;
DROP TRIGGER examples_note_label;
CREATE TRIGGER examples_note_label AFTER UPDATE OF decision ON examples WHEN NEW.decision IS NOT OLD.decision BEGIN
  INSERT INTO label_history (example_id, before, decision, given_at)
  VALUES (NEW.id, OLD.decision, NEW.decision, NEW.updated_at);
  UPDATE second_readings SET label = NEW.decision WHERE example_id = NEW.id;
END;
CREATE INDEX second_readings_waiting ON second_readings (decision_type_id, first_at, first_reader)
  WHERE decision IS NULL AND label IS NOT NULL;
CREATE INDEX second_readings_conflicts ON second_readings (decision_type_id, read_at)
  WHERE decision <> label AND settled_at IS NULL;
