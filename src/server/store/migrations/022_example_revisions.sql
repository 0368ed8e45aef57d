-- The store counts the changes of a type's examples itself: a trigger ran for each row of an import.
DROP TRIGGER example_revisions_inserted;
DROP TRIGGER example_revisions_updated;
DROP TRIGGER example_revisions_deleted;
DROP TABLE example_revisions;
