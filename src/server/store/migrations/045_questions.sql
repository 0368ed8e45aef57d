-- The questions of decision models that a type answers. `digest` names what is asked; null: whatever is asked of this
-- kind. `options`: of a predicate the one whose probability is asked, of a score all, lowest first, of a choice all.
CREATE TABLE questions (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  organisation_id TEXT NOT NULL REFERENCES organisations (id),
  decision_type_id TEXT NOT NULL REFERENCES decision_types (id),
  kind TEXT NOT NULL CHECK (kind IN ('choice', 'predicate', 'score')),
  digest TEXT,
  -- The beginning of what is asked, for people.
  shown TEXT,
  options TEXT NOT NULL,
  -- 1 where the first call settled it: no other type had these options then.
  automatic INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX questions_asked ON questions (organisation_id, digest) WHERE digest IS NOT NULL;
CREATE UNIQUE INDEX questions_of_kind ON questions (decision_type_id, kind) WHERE digest IS NULL;
CREATE INDEX questions_of_type ON questions (decision_type_id, seq);
