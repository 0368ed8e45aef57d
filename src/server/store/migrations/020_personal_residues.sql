-- What may still hold values of personal fields that were declared late: a row for each type whose log does, and for
-- each policy the fields that were declared when it was trained (NULL: not known).
CREATE TABLE personal_residues (
  decision_type_seq INTEGER PRIMARY KEY,
  -- Records up to this row number are not rewritten yet.
  raw_to INTEGER NOT NULL,
  is_clearing INTEGER NOT NULL DEFAULT 0
) STRICT;
ALTER TABLE policies ADD COLUMN pii_fields TEXT;

-- Earlier programs did not note when the fields were declared.
INSERT INTO personal_residues (decision_type_seq, raw_to)
  SELECT t.seq, (SELECT max(seq) FROM decision_logs) FROM decision_types t
  WHERE t.pii_fields <> '[]' AND EXISTS (SELECT 1 FROM decision_logs WHERE decision_type_seq = t.seq);
