-- Which of a model version's mined traces without an outage failed, in the order they began?
SELECT id IN (SELECT trace_id FROM findings WHERE kind = 'agent' AND severity >= ?)
FROM traces
WHERE model_name = ?
  AND model_version IS NOT DISTINCT FROM ?
  AND changed_at <= (SELECT coalesce(min(changed_at), 0) FROM mining_progress
                     WHERE detector IN (SELECT unnest(?)))
  AND id NOT IN (SELECT trace_id FROM findings WHERE kind = 'infrastructure')
ORDER BY started_at, id;
