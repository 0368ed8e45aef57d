-- The fields by whose values decisions are compared, and what must hold among these, as JSON; null: none.
ALTER TABLE decision_types ADD COLUMN groups TEXT;
