-- The whole schema as of 0.2.0. It took 32 steps to get there, whose number it keeps.
CREATE TABLE organisations (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  plan TEXT NOT NULL DEFAULT 'local',
  plan_since INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- When the trial plan was first chosen: its credits are given once.
  trial_since INTEGER,
  -- When a plan of monthly credits was first chosen: what was used since then in a month counts against each such plan.
  monthly_since INTEGER
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
  revoked_at INTEGER,
  -- What a key may do, as a list in JSON; null: everything.
  scopes TEXT,
  -- 1 where agents may call destructive tools with a key without scopes.
  allows_destructive INTEGER NOT NULL DEFAULT 1
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
  deleted_at INTEGER,
  -- The costs of wrong answers and of a person's look, as JSON; null where nobody has said.
  costs TEXT,
  -- The error that is promised of a type, whichever policy decides, as JSON; null where nothing is promised.
  promise TEXT,
  -- The share of live decisions that is drawn to be judged blind, as JSON; null: none.
  audit TEXT
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
  updated_at INTEGER NOT NULL,
  -- 1 for a test row that an analyst chose.
  test INTEGER NOT NULL DEFAULT 0,
  -- A person's verdict instead of a label, and their note. Whether an example without a mark is done follows from its
  -- label.
  mark TEXT CHECK (mark IN ('skipped', 'flagged')),
  note TEXT,
  -- 1 where a teacher gave the label that the example has now.
  by_teacher INTEGER NOT NULL DEFAULT 0,
  -- 1 where the example is a drawn decision that was shown to be judged.
  audited INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX examples_by_type ON examples (decision_type_id, seq);
CREATE UNIQUE INDEX examples_by_log ON examples (log_id) WHERE log_id IS NOT NULL;
CREATE INDEX examples_by_teacher ON examples (decision_type_id, seq) WHERE by_teacher = 1 AND reviewed = 0;
CREATE INDEX examples_by_label ON examples (decision_type_id, decision, source, reviewed, mark);
CREATE INDEX examples_by_mark ON examples (decision_type_id, mark, seq) WHERE mark IS NOT NULL;
CREATE INDEX examples_by_correction ON examples (decision_type_id, seq) WHERE log_id IS NOT NULL;
-- Test rows are counted by option whenever it is said whether a type has enough examples.
CREATE INDEX examples_by_test ON examples (decision_type_id, decision) WHERE test = 1;
CREATE INDEX examples_by_audit ON examples (decision_type_id, seq) WHERE audited = 1;

CREATE TABLE example_undos (
  token TEXT PRIMARY KEY,
  decision_type_id TEXT NOT NULL REFERENCES decision_types(id),
  rows TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- The change that a rename, merge or deletion of an option made besides the examples, as JSON; null for a change of
  -- examples alone.
  option_change TEXT
) STRICT;

CREATE TABLE decision_logs (
  seq INTEGER PRIMARY KEY,
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
  corrected_decision TEXT,
  -- Whether the policy found the input unlike its examples.
  unfamiliar INTEGER NOT NULL DEFAULT 0,
  -- Says its row and its time, so that it needs no index.
  id TEXT NOT NULL GENERATED ALWAYS AS
    (printf('%08x-%04x-8000-8000-%012x', created_at >> 16, created_at & 65535, seq)) VIRTUAL,
  -- The rules that erred on the input of a decision, as JSON; null where none did, as for nearly all.
  rule_errors TEXT,
  -- Records past their retention are marked first and deleted two days later, so that a wrong clock can be repaired.
  removed_at INTEGER,
  -- The version of the decision type whose rules and thresholds decided; null where it was not noted.
  version_number INTEGER,
  -- The reason in the sentence of the answer, with the connected model that was asked; null where it was not noted.
  explanation TEXT
) STRICT;
CREATE INDEX decision_logs_removed ON decision_logs (removed_at, decision_type_seq) WHERE removed_at IS NOT NULL;
CREATE INDEX decision_logs_to_review ON decision_logs
  (decision_type_seq, unfamiliar, seq, decision, escalated, confidence, created_at)
  WHERE escalated = 1 AND corrected_decision IS NULL AND removed_at IS NULL;
-- Corrections are rare: what they say of automatic decisions is read from here, never from the whole log.
CREATE INDEX decision_logs_corrected ON decision_logs
  (decision_type_seq, policy_version, escalated, created_at, decision, corrected_decision)
  WHERE corrected_decision IS NOT NULL;

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
CREATE INDEX credit_entries_of_hosting ON credit_entries (reference_id, created_at) WHERE operation = 'hosting';

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
  -- The error that was promised of a policy, as JSON; null without a promise.
  promise TEXT,
  -- The personal fields that were declared when it was trained; null: not known.
  pii_fields TEXT,
  -- Why a training did not deploy its policy although it was to; null where nothing held it back.
  held_back TEXT,
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
  test INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (policy_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE held_out_predictions (
  policy_id TEXT NOT NULL REFERENCES policies (id),
  example_id TEXT NOT NULL,
  expected TEXT NOT NULL,
  predicted TEXT NOT NULL,
  probabilities TEXT NOT NULL,
  -- Null where it was not noted: the row counts as familiar, and as the input that was measured.
  unfamiliar INTEGER,
  input_hash INTEGER,
  PRIMARY KEY (policy_id, example_id)
) STRICT, WITHOUT ROWID;

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

-- Teacher models that an organisation has connected. Their keys are files in the folder of secrets, not rows.
CREATE TABLE connections (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organisation_id TEXT NOT NULL REFERENCES organisations (id),
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  model TEXT NOT NULL,
  has_api_key INTEGER NOT NULL,
  private_network INTEGER NOT NULL,
  generates INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (organisation_id, name)
) STRICT;
CREATE UNIQUE INDEX connections_one_generates ON connections (organisation_id) WHERE generates = 1;

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

-- The id of the data folder that the database belongs to; the same id stands in the folder's own file.
CREATE TABLE folder_identity (
  seq INTEGER PRIMARY KEY CHECK (seq = 1),
  id TEXT NOT NULL
) STRICT;

-- One row: the highest wall-clock time that was believed, and a leap of the clock that is not believed yet.
CREATE TABLE clock_sightings (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  trusted_at INTEGER NOT NULL,
  doubt_seen_at INTEGER,
  doubt_leap_ms INTEGER,
  doubt_agreed_ms INTEGER
) STRICT;

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

-- Types whose log may still hold values of personal fields that were declared late.
CREATE TABLE personal_residues (
  decision_type_seq INTEGER PRIMARY KEY,
  -- Records up to this row number are not rewritten yet.
  raw_to INTEGER NOT NULL,
  is_clearing INTEGER NOT NULL DEFAULT 0
) STRICT;

-- How likely each label of the newest trained policy's examples is to a model that has not seen the example.
CREATE TABLE label_checks (
  policy_id TEXT NOT NULL REFERENCES policies (id),
  example_id TEXT NOT NULL,
  label TEXT NOT NULL,
  probability REAL NOT NULL,
  likelier TEXT NOT NULL,
  likelier_probability REAL NOT NULL,
  doubt REAL NOT NULL,
  suspect INTEGER NOT NULL,
  PRIMARY KEY (policy_id, example_id)
) STRICT, WITHOUT ROWID;

-- Parts of additions of examples that are not at their end: these rows go with the next start.
CREATE TABLE unfinished_example_parts (
  first_seq INTEGER PRIMARY KEY,
  last_seq INTEGER NOT NULL,
  decision_type_id TEXT NOT NULL REFERENCES decision_types (id)
) STRICT;

-- Decisions drawn as they were recorded, in that order, with what was decided: a log record may be gone before its
-- judgement. The input stays in the log until the decision is shown; then an example holds it, and the judgement.
CREATE TABLE audit_draws (
  seq INTEGER PRIMARY KEY,
  decision_type_seq INTEGER NOT NULL,
  log_seq INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  decision TEXT NOT NULL,
  -- 1 where rule or classifier decided alone
  automatic INTEGER NOT NULL,
  policy_version TEXT NOT NULL,
  example_id TEXT
) STRICT;
CREATE INDEX audit_draws_by_type ON audit_draws (decision_type_seq, policy_version, seq);
CREATE INDEX audit_draws_shown ON audit_draws (decision_type_seq, policy_version, seq) WHERE example_id IS NOT NULL;
CREATE INDEX audit_draws_waiting ON audit_draws (decision_type_seq, seq) WHERE example_id IS NULL;
