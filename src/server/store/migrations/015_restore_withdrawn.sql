-- A policy that could not be loaded at a start used to lose its deployment for good. What was deployed then is deployed
-- again, unless another policy of the type was deployed since; whether it can be used now is found out at the start.
UPDATE policies SET status = 'deployed', error = NULL
WHERE seq IN (
  SELECT max(seq) FROM policies
  WHERE status = 'trained' AND error = 'The file of the policy is missing or damaged.' GROUP BY decision_type_id)
AND decision_type_id NOT IN (SELECT decision_type_id FROM policies WHERE status = 'deployed');
