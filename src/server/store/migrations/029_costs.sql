-- What wrong answers and looks of a person cost, as JSON; null where nobody has said.
ALTER TABLE decision_types ADD COLUMN costs TEXT;
