-- Who brought a decision that was made elsewhere, and out of which file, as they said; api_key_id is the key they used.
ALTER TABLE decision_logs ADD COLUMN imported_by TEXT;
ALTER TABLE decision_logs ADD COLUMN imported_file TEXT;
