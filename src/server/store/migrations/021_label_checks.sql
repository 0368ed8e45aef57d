-- How likely each label of the newest trained policy's examples is to a model that has not seen the example.
CREATE TABLE label_checks (
  policy_id TEXT NOT NULL REFERENCES policies (id),
  example_id TEXT NOT NULL,
  label TEXT NOT NULL,
  probability REAL NOT NULL,
  likelier TEXT NOT NULL,
  likelier_probability REAL NOT NULL,
  doubt REAL NOT NULL,
  suspect INTEGER NOT NULL,
  PRIMARY KEY (policy_id, example_id)
) STRICT, WITHOUT ROWID;

-- Counts the changes of a type's examples, so that what was found about them is known to be of these examples.
CREATE TABLE example_revisions (
  decision_type_id TEXT PRIMARY KEY REFERENCES decision_types (id),
  revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER example_revisions_inserted AFTER INSERT ON examples BEGIN
  INSERT INTO example_revisions VALUES (NEW.decision_type_id, 1)
  ON CONFLICT (decision_type_id) DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER example_revisions_updated AFTER UPDATE OF input, decision, reviewed ON examples BEGIN
  INSERT INTO example_revisions VALUES (NEW.decision_type_id, 1)
  ON CONFLICT (decision_type_id) DO UPDATE SET revision = revision + 1;
END;
CREATE TRIGGER example_revisions_deleted AFTER DELETE ON examples BEGIN
  INSERT INTO example_revisions VALUES (OLD.decision_type_id, 1)
  ON CONFLICT (decision_type_id) DO UPDATE SET revision = revision + 1;
END;
