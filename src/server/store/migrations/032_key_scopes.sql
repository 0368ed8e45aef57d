-- What a key may do, as a list in JSON; null: everything.
ALTER TABLE api_keys ADD COLUMN scopes TEXT;
-- 1 where agents may call destructive tools with a key without scopes: by every key made before this could be said.
ALTER TABLE api_keys ADD COLUMN allows_destructive INTEGER NOT NULL DEFAULT 1;
