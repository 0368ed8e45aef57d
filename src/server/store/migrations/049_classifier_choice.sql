-- What the classifier chose, where the fallback or a connected model decided otherwise. From here on the confidence of a
-- record is that of its decision; in earlier ones of these two stages it is the classifier's in its own choice.
ALTER TABLE decision_logs ADD COLUMN classifier_choice TEXT;
