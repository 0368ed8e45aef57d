-- 1 for an example whose decision must hold: every policy of its type is tried on it, and none learns from it.
ALTER TABLE examples ADD COLUMN must INTEGER NOT NULL DEFAULT 0;
CREATE INDEX examples_by_must ON examples (decision_type_id, seq) WHERE must = 1;
