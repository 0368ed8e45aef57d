-- When the trial plan was first chosen (its credits are given once), and the way to a policy's last hour of hosting.
ALTER TABLE organisations ADD COLUMN trial_since INTEGER;
CREATE INDEX credit_entries_of_hosting ON credit_entries (reference_id, created_at) WHERE operation = 'hosting';
