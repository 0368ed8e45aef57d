-- The link of a record in its own row, as an entry of its own for each commit took a fifth of a call. Records from before
-- are in the entries of decisions, later ones have a link.
ALTER TABLE decision_logs ADD COLUMN link TEXT;
-- The newest record at the time of an entry, and the link that the next record follows.
ALTER TABLE log_chain ADD COLUMN record INTEGER;
ALTER TABLE log_chain ADD COLUMN link TEXT;
