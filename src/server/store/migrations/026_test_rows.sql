-- Test rows are counted by option whenever it is said whether a type has enough examples.
CREATE INDEX examples_by_test ON examples (decision_type_id, decision) WHERE test = 1;
