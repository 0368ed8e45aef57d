-- What others may want to ask about: who deleted, imported, switched, exported, made keys. Names as they were then.
CREATE TABLE activity (
  seq INTEGER PRIMARY KEY,
  organisation_id TEXT NOT NULL,
  decision_type_id TEXT,
  decision_type TEXT,
  operation TEXT NOT NULL,
  details TEXT,
  made_by TEXT,
  api_key_id TEXT,
  made_at INTEGER NOT NULL
) STRICT;
CREATE INDEX activity_by_time ON activity (organisation_id, made_at);
