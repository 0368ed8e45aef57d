-- The id of the data folder that the database belongs to; the same id stands in the folder's own file.
CREATE TABLE folder_identity (
  seq INTEGER PRIMARY KEY CHECK (seq = 1),
  id TEXT NOT NULL
) STRICT;
