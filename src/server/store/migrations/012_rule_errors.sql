-- The rules that erred on the input of a decision, as JSON; null where none did, as for nearly all.
ALTER TABLE decision_logs ADD COLUMN rule_errors TEXT;
