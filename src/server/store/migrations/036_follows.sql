-- Of a policy whose text model was tuned in the background: the policy that it follows, made of the same rows and seed.
ALTER TABLE policies ADD COLUMN follows TEXT;
