-- What decided for a type, in order: a policy with the version and the fallback that were beside it. A row is never
-- changed once it has its number.
CREATE TABLE releases (
  seq INTEGER PRIMARY KEY,
  decision_type_id TEXT NOT NULL REFERENCES decision_types (id),
  -- 1, 2, … of its type; null of a deployment from before releases had numbers: what was beside its policy is not known.
  number INTEGER,
  policy_id TEXT NOT NULL REFERENCES policies (id),
  version_id TEXT REFERENCES decision_type_versions (id),
  fallback_option TEXT,
  -- SHA-256 of all that decides, whatever the type is called
  digest TEXT,
  made_at INTEGER NOT NULL,
  -- 1 where a policy was put in charge, 0 where only what is beside it was changed
  deployment INTEGER NOT NULL,
  -- 1 where a training did it
  automatic INTEGER NOT NULL,
  -- The name of the person or key at that time
  made_by TEXT,
  reason TEXT,
  -- What is other than in the release before, as a list of sentences in JSON
  changes TEXT NOT NULL DEFAULT '[]',
  UNIQUE (decision_type_id, number)
) STRICT;
CREATE INDEX releases_by_type ON releases (decision_type_id, seq);
INSERT INTO releases (decision_type_id, policy_id, made_at, deployment, automatic, made_by, reason)
  SELECT decision_type_id, policy_id, deployed_at, 1, automatic, deployed_by, reason FROM deployments ORDER BY seq;
DROP TABLE deployments;
-- The number of the release that decided; null in records of earlier programs.
ALTER TABLE decision_logs ADD COLUMN release INTEGER;
