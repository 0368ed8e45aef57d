-- When a conflict was first given out with both labels: from then on the second one stands.
ALTER TABLE second_readings ADD COLUMN shown_at INTEGER;
