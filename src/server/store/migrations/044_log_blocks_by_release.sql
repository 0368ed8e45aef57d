-- The summaries of the log are kept by release, too; in those of before it is 0: decisions of earlier programs name none.
CREATE TABLE log_blocks_by_release (
  decision_type_seq INTEGER NOT NULL,
  block INTEGER NOT NULL,
  decision TEXT NOT NULL,
  escalated INTEGER NOT NULL,
  release INTEGER NOT NULL,
  n INTEGER NOT NULL,
  confidence_sum REAL NOT NULL,
  latency_sum REAL NOT NULL,
  min_confidence REAL NOT NULL,
  max_confidence REAL NOT NULL,
  min_created_at INTEGER NOT NULL,
  max_created_at INTEGER NOT NULL,
  min_seq INTEGER NOT NULL,
  max_seq INTEGER NOT NULL,
  -- behind the other columns, which are read without it
  confidences BLOB NOT NULL,
  PRIMARY KEY (decision_type_seq, block, decision, escalated, release)
) STRICT, WITHOUT ROWID;
INSERT INTO log_blocks_by_release
  SELECT decision_type_seq, block, decision, escalated, 0, n, confidence_sum, latency_sum, min_confidence,
    max_confidence, min_created_at, max_created_at, min_seq, max_seq, confidences FROM log_blocks;
DROP TABLE log_blocks;
ALTER TABLE log_blocks_by_release RENAME TO log_blocks;
CREATE INDEX log_blocks_by_block ON log_blocks (block);
