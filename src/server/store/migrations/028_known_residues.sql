-- A type that was changed last before a training, or before its first record, had its personal fields declared by then.
UPDATE policies SET pii_fields = (SELECT t.pii_fields FROM decision_types t WHERE t.id = policies.decision_type_id)
  WHERE pii_fields IS NULL AND EXISTS (
    SELECT 1 FROM decision_types t WHERE t.id = policies.decision_type_id AND t.updated_at < policies.created_at);
DELETE FROM personal_residues WHERE NOT EXISTS (
  SELECT 1 FROM decision_types t JOIN decision_logs l ON l.decision_type_seq = t.seq
  WHERE t.seq = personal_residues.decision_type_seq AND l.created_at <= t.updated_at);
