-- What a person decided about an example instead of labelling it, and what they noted beside it. Whether an example
-- without a mark is done follows from its label.
ALTER TABLE examples ADD COLUMN mark TEXT CHECK (mark IN ('skipped', 'flagged'));
ALTER TABLE examples ADD COLUMN note TEXT;
-- 1 where a teacher gave the label that the example has now.
ALTER TABLE examples ADD COLUMN by_teacher INTEGER NOT NULL DEFAULT 0;
UPDATE examples SET by_teacher = 1 WHERE source = 'synthetic' AND reviewed = 0;
CREATE INDEX examples_by_teacher ON examples (decision_type_id, seq) WHERE by_teacher = 1 AND reviewed = 0;
DROP INDEX examples_by_label;
CREATE INDEX examples_by_label ON examples (decision_type_id, decision, source, reviewed, mark);
CREATE INDEX examples_by_mark ON examples (decision_type_id, mark, seq) WHERE mark IS NOT NULL;
CREATE INDEX examples_by_correction ON examples (decision_type_id, seq) WHERE log_id IS NOT NULL;
