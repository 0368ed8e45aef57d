-- A training may wait for the one before it: `queued` joins the statuses, which the old table refused.
CREATE TABLE policies_new (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organisation_id TEXT NOT NULL REFERENCES organisations (id),
  decision_type_id TEXT NOT NULL REFERENCES decision_types (id),
  version_id TEXT NOT NULL REFERENCES decision_type_versions (id),
  version INTEGER NOT NULL,
  status TEXT NOT NULL
    CHECK (status IN ('queued', 'training', 'stopping', 'cancelling', 'cancelled', 'trained', 'deployed', 'failed')),
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
  -- The error that was promised of a policy, as JSON; null without a promise.
  promise TEXT,
  -- The personal fields that were declared when it was trained; null: not known.
  pii_fields TEXT,
  -- Why a training did not deploy its policy although it was to; null where nothing held it back.
  held_back TEXT,
  -- Of a policy whose text model was tuned in the background: the policy that it follows, made of the same rows and seed.
  follows TEXT,
  UNIQUE (decision_type_id, version),
  CHECK (status NOT IN ('trained', 'deployed') OR (bundle_sha256 IS NOT NULL AND metrics IS NOT NULL))
) STRICT;
INSERT INTO policies_new (seq, id, organisation_id, decision_type_id, version_id, version, status, auto_deployed,
  quality_gate_met, training_config, fallback_option, seed, snapshot_sha256, snapshot_size, tool_versions, metrics,
  bundle_sha256, bundle_size_bytes, current_attempt_id, error, last_training_error, created_at, completed_at,
  deployed_at, promise, pii_fields, held_back, follows)
SELECT seq, id, organisation_id, decision_type_id, version_id, version, status, auto_deployed,
  quality_gate_met, training_config, fallback_option, seed, snapshot_sha256, snapshot_size, tool_versions, metrics,
  bundle_sha256, bundle_size_bytes, current_attempt_id, error, last_training_error, created_at, completed_at,
  deployed_at, promise, pii_fields, held_back, follows
FROM policies;
DROP TABLE policies;
ALTER TABLE policies_new RENAME TO policies;
CREATE UNIQUE INDEX policies_one_deployed ON policies (decision_type_id) WHERE status = 'deployed';
CREATE UNIQUE INDEX policies_one_training ON policies (organisation_id) WHERE status IN ('training', 'stopping', 'cancelling');
-- One training of a type waits at most.
CREATE UNIQUE INDEX policies_one_queued ON policies (decision_type_id) WHERE status = 'queued';
