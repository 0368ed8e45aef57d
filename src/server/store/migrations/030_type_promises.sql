-- The error that is promised of a type, whichever policy decides, as JSON; null where nothing is promised.
ALTER TABLE decision_types ADD COLUMN promise TEXT;
-- Why a training did not deploy its policy although it was to; null where nothing held it back.
ALTER TABLE policies ADD COLUMN held_back TEXT;
UPDATE decision_types SET promise = (
  SELECT json_object('target_error', json_extract(p.promise, '$.target_error'),
    'certainty', json_extract(p.promise, '$.certainty'), 'declared_at', json_extract(p.promise, '$.made_at'))
  FROM policies p
  WHERE p.decision_type_id = decision_types.id AND p.status = 'deployed' AND p.promise IS NOT NULL);
