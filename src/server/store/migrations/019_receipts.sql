-- The answers of calls with an Idempotency-Key, for a day: the same call again is given the answer and does nothing.
CREATE TABLE receipts (
  seq INTEGER PRIMARY KEY,
  -- Keyed digests: of the organisation and its Idempotency-Key, and of the whole request.
  id BLOB NOT NULL UNIQUE,
  request BLOB NOT NULL,
  -- Sealed under a key that follows from the request.
  answer BLOB NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX receipts_by_age ON receipts (created_at);
