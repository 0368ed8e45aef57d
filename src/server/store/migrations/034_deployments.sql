-- Every deployment, in order: which policy was put in charge, when, by whom and why.
CREATE TABLE deployments (
  seq INTEGER PRIMARY KEY,
  decision_type_id TEXT NOT NULL REFERENCES decision_types (id),
  policy_id TEXT NOT NULL REFERENCES policies (id),
  deployed_at INTEGER NOT NULL,
  -- 1 where its training did it
  automatic INTEGER NOT NULL,
  -- The name of the person or key at that time
  deployed_by TEXT,
  reason TEXT
) STRICT;
CREATE INDEX deployments_by_type ON deployments (decision_type_id, seq);
-- Of earlier ones only the last of each policy is known.
INSERT INTO deployments (decision_type_id, policy_id, deployed_at, automatic)
  SELECT decision_type_id, id, deployed_at, auto_deployed FROM policies WHERE deployed_at IS NOT NULL ORDER BY deployed_at;
