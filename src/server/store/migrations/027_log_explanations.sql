-- Why it was decided so, with the connected model that was asked, in the sentence of the answer; null in records of before.
ALTER TABLE decision_logs ADD COLUMN explanation TEXT;
