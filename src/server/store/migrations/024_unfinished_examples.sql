-- Parts of additions of examples that are not at their end: these rows go with the next start.
CREATE TABLE unfinished_example_parts (
  first_seq INTEGER PRIMARY KEY,
  last_seq INTEGER NOT NULL,
  decision_type_id TEXT NOT NULL REFERENCES decision_types (id)
) STRICT;
