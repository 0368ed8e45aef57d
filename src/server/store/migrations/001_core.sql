CREATE TABLE organisations (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  plan TEXT NOT NULL DEFAULT 'local',
  plan_since INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
  id TEXT PRIMARY KEY,
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  organisation_id TEXT NOT NULL REFERENCES organisations(id),
  email TEXT,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'member')),
  created_at INTEGER NOT NULL,
  UNIQUE (issuer, subject)
) STRICT;

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  organisation_id TEXT NOT NULL REFERENCES organisations(id),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  salt BLOB NOT NULL,
  digest BLOB NOT NULL,
  rate_limit_per_minute INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE INDEX api_keys_by_prefix ON api_keys (prefix) WHERE revoked_at IS NULL;

CREATE TABLE login_codes (
  digest BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE decision_types (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organisation_id TEXT NOT NULL REFERENCES organisations(id),
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  pii_fields TEXT NOT NULL,
  retention_days INTEGER,
  fallback_option TEXT,
  active_version_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE UNIQUE INDEX decision_types_name ON decision_types (organisation_id, name) WHERE deleted_at IS NULL;

CREATE TABLE decision_type_versions (
  id TEXT PRIMARY KEY,
  decision_type_id TEXT NOT NULL REFERENCES decision_types(id),
  version_number INTEGER NOT NULL,
  definition TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (decision_type_id, version_number)
) STRICT;

CREATE TABLE examples (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  decision_type_id TEXT NOT NULL REFERENCES decision_types(id),
  input TEXT NOT NULL,
  decision TEXT,
  reason_codes TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('user', 'synthetic')),
  reviewed INTEGER NOT NULL,
  log_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX examples_by_type ON examples (decision_type_id, seq);
CREATE INDEX examples_by_label ON examples (decision_type_id, decision);
CREATE UNIQUE INDEX examples_by_log ON examples (log_id) WHERE log_id IS NOT NULL;

CREATE TABLE example_undos (
  token TEXT PRIMARY KEY,
  decision_type_id TEXT NOT NULL REFERENCES decision_types(id),
  rows TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE decision_logs (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  decision_type_seq INTEGER NOT NULL,
  request_id TEXT NOT NULL,
  input TEXT NOT NULL,
  decision TEXT NOT NULL,
  confidence REAL NOT NULL,
  stage TEXT NOT NULL,
  reason_codes TEXT NOT NULL,
  class_probabilities TEXT NOT NULL,
  rules_triggered TEXT NOT NULL,
  escalated INTEGER NOT NULL,
  fallback_used INTEGER NOT NULL,
  policy_version TEXT NOT NULL,
  latency_ms REAL NOT NULL,
  api_key_id TEXT,
  created_at INTEGER NOT NULL,
  corrected_decision TEXT
) STRICT;
CREATE INDEX decision_logs_by_type ON decision_logs (decision_type_seq, created_at);
CREATE INDEX decision_logs_by_id ON decision_logs (id);

CREATE TABLE credit_entries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  organisation_seq INTEGER NOT NULL,
  operation TEXT NOT NULL,
  credits REAL NOT NULL,
  decision_type_id TEXT,
  reference_id TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX credit_entries_by_time ON credit_entries (organisation_seq, created_at);
