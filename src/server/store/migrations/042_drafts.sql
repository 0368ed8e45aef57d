-- Changes of what decides beside the policy that do not decide yet: fields as they were and as they are to be, by whom
-- and when, as JSON; null where there are none.
ALTER TABLE decision_types ADD COLUMN draft TEXT;
-- 1 where such changes decide only once they are published.
ALTER TABLE decision_types ADD COLUMN publish_by_hand INTEGER NOT NULL DEFAULT 0;
