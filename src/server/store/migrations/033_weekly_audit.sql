-- Of decisions drawn by week its number, and their place by chance among those of the week: the first are drawn.
ALTER TABLE audit_draws ADD COLUMN week INTEGER;
ALTER TABLE audit_draws ADD COLUMN rank REAL;
CREATE INDEX audit_draws_by_week ON audit_draws (decision_type_seq, week, rank) WHERE week IS NOT NULL;
