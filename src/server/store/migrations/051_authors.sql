-- From whose hands something is that may come to decide: a draft, a policy, a release, or an act that another has to ask
-- for as well. A hand is a person, whichever session or key is used, or a key of which nobody knows whose it is.
CREATE TABLE authors (
  decision_type_id TEXT NOT NULL REFERENCES decision_types (id),
  work TEXT NOT NULL,
  hand TEXT NOT NULL,
  name TEXT,
  noted_at INTEGER NOT NULL,
  PRIMARY KEY (decision_type_id, work, hand)
) STRICT, WITHOUT ROWID;
INSERT INTO authors (decision_type_id, work, hand, name, noted_at)
  SELECT id, 'draft', draft ->> '$.callerId', draft ->> '$.by', draft ->> '$.updatedAt' FROM decision_types
  WHERE draft ->> '$.callerId' IS NOT NULL;
-- Who made a key, and who holds it where that is somebody else.
ALTER TABLE api_keys ADD COLUMN made_by TEXT;
ALTER TABLE api_keys ADD COLUMN holder TEXT;
-- Pinned cases of a type that is released by another than the author stay as long as it is.
CREATE TRIGGER examples_keep_pinned BEFORE UPDATE OF must, decision, input ON examples
  WHEN OLD.must = 1 AND (NEW.must = 0 OR NEW.decision IS NOT OLD.decision OR NEW.input IS NOT OLD.input)
    AND EXISTS (SELECT 1 FROM decision_types
      WHERE id = OLD.decision_type_id AND publish_by_hand = 2 AND deleted_at IS NULL) BEGIN
  SELECT RAISE(ABORT, 'pinned');
END;
CREATE TRIGGER examples_keep_pinned_ones BEFORE DELETE ON examples
  WHEN OLD.must = 1 AND EXISTS (SELECT 1 FROM decision_types
    WHERE id = OLD.decision_type_id AND publish_by_hand = 2 AND deleted_at IS NULL) BEGIN
  SELECT RAISE(ABORT, 'pinned');
END;
