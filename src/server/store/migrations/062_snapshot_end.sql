-- The newest example at the start of a training: rows that came since, with their labels, counted as rows without one.
ALTER TABLE policies ADD COLUMN snapshot_last_seq INTEGER;
