-- When a plan of monthly credits was first chosen: what was used since then in a month counts against each such plan.
ALTER TABLE organisations ADD COLUMN monthly_since INTEGER;
UPDATE organisations SET monthly_since = plan_since WHERE plan NOT IN ('local', 'trial');
