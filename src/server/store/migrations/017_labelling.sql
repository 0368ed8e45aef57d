-- What a person decided about an example instead of labelling it, and what they noted beside it. Whether an example
-- without a mark is done follows from its label.
ALTER TABLE examples ADD COLUMN mark TEXT CHECK (mark IN ('skipped', 'flagged'));
ALTER TABLE examples ADD COLUMN note TEXT;
DROP INDEX examples_by_label;
CREATE INDEX examples_by_label ON examples (decision_type_id, decision, source, reviewed, mark);
CREATE INDEX examples_by_mark ON examples (decision_type_id, mark, seq) WHERE mark IS NOT NULL;
CREATE INDEX examples_by_correction ON examples (decision_type_id, seq) WHERE log_id IS NOT NULL;
