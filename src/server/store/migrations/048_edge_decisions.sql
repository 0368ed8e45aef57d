-- The id that a decision has in the log of the service that made it elsewhere; null of those that were made here.
ALTER TABLE decision_logs ADD COLUMN edge_id TEXT;
CREATE UNIQUE INDEX decision_logs_of_edge ON decision_logs (decision_type_seq, edge_id) WHERE edge_id IS NOT NULL;
-- Such a decision belongs to the release whose digest it names.
CREATE INDEX releases_by_digest ON releases (digest);
