-- The confidences of each group of a block as one sorted list, instead of groups by bands of confidence: how many lie
-- between any two bounds is found in the list, and a block has fewer summaries.
DROP TABLE log_blocks;

CREATE TABLE log_blocks (
  decision_type_seq INTEGER NOT NULL,
  block INTEGER NOT NULL,
  decision TEXT NOT NULL,
  escalated INTEGER NOT NULL,
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
  PRIMARY KEY (decision_type_seq, block, decision, escalated)
) STRICT, WITHOUT ROWID;
CREATE INDEX log_blocks_by_block ON log_blocks (block);

INSERT INTO log_blocks
SELECT decision_type_seq, seq / 2048, decision, escalated, count(*), sum(confidence), sum(latency_ms), min(confidence),
  max(confidence), min(created_at), max(created_at), min(seq), max(seq), sorted_numbers(confidence)
FROM decision_logs WHERE seq < ((SELECT max(seq) FROM decision_logs) + 1) / 2048 * 2048 GROUP BY 1, 2, 3, 4;
