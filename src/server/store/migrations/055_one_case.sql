-- What one case is, as a person said it, as JSON: how rows are held out; null where nobody has.
ALTER TABLE decision_types ADD COLUMN one_case TEXT;
