-- What happened to the log, in order: each entry holds the digest of the one before it, so that no record can change, go
-- or come without a word. Records from before, up to `last` of the first entry, are in no entry.
CREATE TABLE log_chain (
  seq INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('began', 'decided', 'corrected', 'hidden', 'restored', 'deleted', 'masked')),
  -- The lowest and the highest row number of the log that it is about.
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  -- Of decisions the SHA-256 of each, one after the other; of the others JSON.
  content BLOB NOT NULL,
  -- SHA-256 of the digest before and of all the above.
  head BLOB NOT NULL
) STRICT;
INSERT INTO log_chain SELECT 1, 'began', 0, ifnull(max(seq), 0), x'', randomblob(32) FROM decision_logs;
