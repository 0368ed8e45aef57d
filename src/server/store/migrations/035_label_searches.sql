-- A check of all labels of a type: by the training of a policy, whose id it has, or in the background without one.
CREATE TABLE label_searches (
  id TEXT PRIMARY KEY,
  decision_type_id TEXT NOT NULL REFERENCES decision_types (id),
  -- How many labels the type had, and how many of them are expected to be wrong (null: not known).
  labelled INTEGER NOT NULL,
  expected_wrong INTEGER,
  -- Examples that were changed later are not meant; while it is not complete, none are.
  created_at INTEGER NOT NULL,
  complete INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX label_searches_by_type ON label_searches (decision_type_id, created_at);

INSERT INTO label_searches
SELECT id, decision_type_id, snapshot_size, NULL, created_at,
  status IN ('trained', 'deployed') AND coalesce(metrics ->> '$.follow_up.state', 'done') = 'done'
FROM policies WHERE id IN (SELECT policy_id FROM label_checks);

CREATE TABLE label_checks_new (
  search_id TEXT NOT NULL REFERENCES label_searches (id),
  example_id TEXT NOT NULL,
  label TEXT NOT NULL,
  probability REAL NOT NULL,
  likelier TEXT NOT NULL,
  likelier_probability REAL NOT NULL,
  doubt REAL NOT NULL,
  suspect INTEGER NOT NULL,
  -- A person has kept the label although the same option was found likelier.
  confirmed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (search_id, example_id)
) STRICT, WITHOUT ROWID;
INSERT INTO label_checks_new
SELECT policy_id, example_id, label, probability, likelier, likelier_probability, doubt, suspect, 0 FROM label_checks;
DROP TABLE label_checks;
ALTER TABLE label_checks_new RENAME TO label_checks;
