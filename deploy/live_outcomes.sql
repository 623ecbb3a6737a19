-- Which of a model version's mined traces without an outage failed, in the order they began?
-- A trace failed if its reward or feedback says so; where neither speaks, if a finding does.
SELECT facts.has_passed IS FALSE OR (facts.has_passed IS NULL AND id IN (
           SELECT trace_id FROM findings
           WHERE kind IN ('agent', 'tool', 'policy') AND severity >= ?))
FROM traces JOIN trace_facts AS facts ON facts.trace_id = traces.id
WHERE model_name = ?
  AND model_version IS NOT DISTINCT FROM ?
  AND changed_at <= (SELECT coalesce(min(changed_at), 0) FROM mining_progress
                     WHERE detector IN (SELECT unnest(?)))
  AND NOT facts.met_outage
ORDER BY traces.started_at, traces.id;
