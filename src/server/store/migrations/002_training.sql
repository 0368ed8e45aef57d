-- Policies (trained models), the attempts to train them, the data they saw and what they said about the held-out rows.
CREATE TABLE policies (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organisation_id TEXT NOT NULL REFERENCES organisations (id),
  decision_type_id TEXT NOT NULL REFERENCES decision_types (id),
  version_id TEXT NOT NULL REFERENCES decision_type_versions (id),
  version INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('training', 'stopping', 'cancelling', 'cancelled', 'trained', 'deployed', 'failed')),
  auto_deployed INTEGER NOT NULL DEFAULT 0,
  quality_gate_met INTEGER,
  training_config TEXT NOT NULL,
  fallback_option TEXT,
  seed INTEGER NOT NULL,
  snapshot_sha256 TEXT NOT NULL,
  snapshot_size INTEGER NOT NULL,
  tool_versions TEXT NOT NULL,
  metrics TEXT,
  bundle_sha256 TEXT,
  bundle_size_bytes INTEGER,
  current_attempt_id TEXT,
  error TEXT,
  last_training_error TEXT,
  created_at INTEGER NOT NULL,
  completed_at INTEGER,
  deployed_at INTEGER,
  UNIQUE (decision_type_id, version),
  CHECK (status NOT IN ('trained', 'deployed') OR (bundle_sha256 IS NOT NULL AND metrics IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX policies_one_deployed ON policies (decision_type_id) WHERE status = 'deployed';
CREATE UNIQUE INDEX policies_one_training ON policies (organisation_id) WHERE status IN ('training', 'stopping', 'cancelling');

CREATE TABLE training_attempts (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  policy_id TEXT NOT NULL REFERENCES policies (id),
  attempt_number INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('running', 'stopping', 'cancelling', 'succeeded', 'cancelled', 'failed')),
  pid INTEGER,
  stage TEXT NOT NULL DEFAULT 'prepare',
  fraction REAL NOT NULL DEFAULT 0,
  message TEXT NOT NULL DEFAULT '',
  completed_stages TEXT NOT NULL DEFAULT '[]',
  error TEXT,
  started_at INTEGER NOT NULL,
  last_heartbeat_at INTEGER NOT NULL,
  completed_at INTEGER,
  UNIQUE (policy_id, attempt_number)
) STRICT;

-- The rows a training sees, frozen at its start; removed when the training has ended (their digest stays with the policy).
CREATE TABLE training_snapshots (
  policy_id TEXT NOT NULL REFERENCES policies (id),
  position INTEGER NOT NULL,
  example_id TEXT NOT NULL,
  input TEXT NOT NULL,
  decision TEXT NOT NULL,
  reason_codes TEXT NOT NULL,
  source TEXT NOT NULL,
  PRIMARY KEY (policy_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE held_out_predictions (
  policy_id TEXT NOT NULL REFERENCES policies (id),
  example_id TEXT NOT NULL,
  expected TEXT NOT NULL,
  predicted TEXT NOT NULL,
  probabilities TEXT NOT NULL,
  PRIMARY KEY (policy_id, example_id)
) STRICT, WITHOUT ROWID;
