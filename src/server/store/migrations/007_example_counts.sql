-- Everything that the statistics of a type's examples count, so that the examples themselves need not be read.
DROP INDEX examples_by_label;
CREATE INDEX examples_by_label ON examples (decision_type_id, decision, source, reviewed);
