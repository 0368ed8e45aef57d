-- The label that an example is measured by, where a model had doubted it before it was changed, or many were changed at
-- once: figures do not follow what a model says of its own test rows. NULL: the label it has now.
ALTER TABLE examples ADD COLUMN first_decision TEXT;
ALTER TABLE training_snapshots ADD COLUMN first_decision TEXT;
CREATE INDEX examples_by_first_decision ON examples (decision_type_id, first_decision) WHERE first_decision IS NOT NULL;
