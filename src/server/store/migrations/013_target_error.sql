-- Each suggested threshold of a policy names its target error; it was called the wished error before.
UPDATE policies SET metrics = json_set(metrics, '$.suggested_thresholds', json((
    SELECT json_group_array(json_remove(json_set(value, '$.target_error', json_extract(value, '$.wished_error')), '$.wished_error'))
    FROM json_each(policies.metrics, '$.suggested_thresholds'))))
WHERE json_extract(metrics, '$.suggested_thresholds[0].wished_error') IS NOT NULL;
