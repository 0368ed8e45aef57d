-- A rename, merge or deletion of an option is undone as other changes of many examples are: what it changed besides the
-- examples, as JSON; null for a change of examples alone.
ALTER TABLE example_undos ADD COLUMN option_change TEXT;
