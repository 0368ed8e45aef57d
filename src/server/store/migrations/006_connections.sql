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
