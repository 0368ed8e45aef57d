-- Names that callers decide by: refunds@production is the release that the alias names now.
CREATE TABLE release_aliases (
  decision_type_id TEXT NOT NULL REFERENCES decision_types (id),
  alias TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (decision_type_id, alias),
  FOREIGN KEY (decision_type_id, number) REFERENCES releases (decision_type_id, number)
) STRICT, WITHOUT ROWID;
