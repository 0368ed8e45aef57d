-- Examples that were deleted while they were offered for a label, and that measured rows stand for: their ids alone.
CREATE TABLE drawn_deletions (
  example_id TEXT NOT NULL PRIMARY KEY,
  decision_type_id TEXT NOT NULL
) STRICT;
CREATE INDEX drawn_deletions_by_type ON drawn_deletions (decision_type_id);
