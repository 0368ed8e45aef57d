-- A change of many examples is written in parts: what each keeps for the undo, and how far the change has come.
CREATE TABLE example_undo_parts (
  token TEXT NOT NULL,
  part INTEGER NOT NULL,
  rows TEXT NOT NULL,
  UNIQUE (token, part)
) STRICT;
INSERT INTO example_undo_parts SELECT token, 0, rows FROM example_undos;
ALTER TABLE example_undos ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
UPDATE example_undos SET bytes = octet_length(rows);
ALTER TABLE example_undos DROP COLUMN rows;
-- Null once it is whole. `plan` says what each part does, as JSON; `done_to` is the last row that it was done to.
ALTER TABLE example_undos ADD COLUMN stage TEXT CHECK (stage IN ('changing', 'undoing'));
ALTER TABLE example_undos ADD COLUMN plan TEXT;
-- Examples that the undo adds, as the change has deleted them.
ALTER TABLE example_undos ADD COLUMN adds INTEGER NOT NULL DEFAULT 0;
ALTER TABLE example_undos ADD COLUMN done_to INTEGER NOT NULL DEFAULT 0;
CREATE INDEX example_undos_unfinished ON example_undos (decision_type_id) WHERE stage IS NOT NULL;
CREATE TRIGGER example_undos_forget_parts AFTER DELETE ON example_undos BEGIN
  DELETE FROM example_undo_parts WHERE token = OLD.token;
END;
