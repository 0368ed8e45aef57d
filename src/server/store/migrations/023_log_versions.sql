-- The version of the decision type whose rules and thresholds decided; null in records of before.
ALTER TABLE decision_logs ADD COLUMN version_number INTEGER;
