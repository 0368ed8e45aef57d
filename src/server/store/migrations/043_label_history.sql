-- Every label that an example was given after the one it came with; whoever gives one says the rest in its transaction.
CREATE TABLE label_history (
  seq INTEGER PRIMARY KEY,
  example_id TEXT NOT NULL,
  kind TEXT NOT NULL DEFAULT 'label' CHECK (kind IN ('label', 'second_reading', 'settled')),
  before TEXT,
  decision TEXT,
  -- The name of a person, key or model; NULL where it is not known, as in a file.
  reader TEXT,
  suggested TEXT,
  note TEXT,
  given_at INTEGER NOT NULL
) STRICT;
CREATE INDEX label_history_by_example ON label_history (example_id, seq);
-- Examples that are labelled a second time by somebody who does not see the first label.
CREATE TABLE second_readings (
  example_id TEXT PRIMARY KEY,
  decision_type_id TEXT NOT NULL,
  first_decision TEXT NOT NULL,
  first_reader TEXT,
  first_at INTEGER NOT NULL,
  decision TEXT,
  reader TEXT,
  note TEXT,
  read_at INTEGER,
  settled_at INTEGER
) STRICT;
CREATE INDEX second_readings_by_type ON second_readings (decision_type_id, read_at);
CREATE TRIGGER examples_note_label AFTER UPDATE OF decision ON examples WHEN NEW.decision IS NOT OLD.decision BEGIN
  INSERT INTO label_history (example_id, before, decision, given_at)
  VALUES (NEW.id, OLD.decision, NEW.decision, NEW.updated_at);
END;
CREATE TRIGGER examples_forget_labels AFTER DELETE ON examples BEGIN
  DELETE FROM label_history WHERE example_id = OLD.id;
  DELETE FROM second_readings WHERE example_id = OLD.id;
END;
