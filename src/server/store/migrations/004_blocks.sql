-- Summaries of full blocks of 2,048 rows (row number / 2048), written with the row that fills a block. Totals and
-- metrics add them up and read rows only at the edges of a filter, so that neither table needs an index by time.
DROP INDEX decision_logs_by_type;
DROP INDEX credit_entries_by_time;

CREATE TABLE log_blocks (
  decision_type_seq INTEGER NOT NULL,
  block INTEGER NOT NULL,
  decision TEXT NOT NULL,
  escalated INTEGER NOT NULL,
  -- twentieths, so that few blocks lie across the edge of a filter
  confidence_band INTEGER NOT NULL,
  n INTEGER NOT NULL,
  confidence_sum REAL NOT NULL,
  latency_sum REAL NOT NULL,
  min_confidence REAL NOT NULL,
  max_confidence REAL NOT NULL,
  min_created_at INTEGER NOT NULL,
  max_created_at INTEGER NOT NULL,
  min_seq INTEGER NOT NULL,
  max_seq INTEGER NOT NULL,
  PRIMARY KEY (decision_type_seq, block, decision, escalated, confidence_band)
) STRICT, WITHOUT ROWID;
CREATE INDEX log_blocks_by_block ON log_blocks (block);

CREATE TABLE credit_blocks (
  organisation_seq INTEGER NOT NULL,
  block INTEGER NOT NULL,
  operation TEXT NOT NULL,
  n INTEGER NOT NULL,
  credits_sum REAL NOT NULL,
  min_created_at INTEGER NOT NULL,
  max_created_at INTEGER NOT NULL,
  min_seq INTEGER NOT NULL,
  max_seq INTEGER NOT NULL,
  PRIMARY KEY (organisation_seq, block, operation)
) STRICT, WITHOUT ROWID;
CREATE INDEX credit_blocks_by_block ON credit_blocks (block);

INSERT INTO log_blocks
SELECT decision_type_seq, seq / 2048, decision, escalated, CAST(confidence * 20 AS INTEGER), count(*), sum(confidence),
  sum(latency_ms), min(confidence), max(confidence), min(created_at), max(created_at), min(seq), max(seq)
FROM decision_logs WHERE seq < ((SELECT max(seq) FROM decision_logs) + 1) / 2048 * 2048 GROUP BY 1, 2, 3, 4, 5;

INSERT INTO credit_blocks
SELECT organisation_seq, seq / 2048, operation, count(*), sum(credits), min(created_at), max(created_at), min(seq), max(seq)
FROM credit_entries WHERE seq < ((SELECT max(seq) FROM credit_entries) + 1) / 2048 * 2048 GROUP BY 1, 2, 3;
