-- Which error texts did an agent's tools give for the first time in a trace changed since (the
-- parameter), after at least 50 earlier traces of the agent?
WITH first_seen AS (
    SELECT agent, signature, arg_min(trace_id, (seen_at, trace_id)) AS trace_id,
           arg_min(step, (seen_at, trace_id)) AS step, arg_min(claim, (seen_at, trace_id)) AS claim,
           arg_min(evidence, (seen_at, trace_id)) AS evidence, any_value(tool) AS tool
    FROM findings WHERE detector = 'tool error' GROUP BY agent, signature
)
SELECT first_seen.trace_id, first_seen.step, first_seen.claim, first_seen.evidence, first_seen.tool
FROM first_seen
JOIN traces ON traces.id = first_seen.trace_id
JOIN trace_facts ON trace_facts.trace_id = first_seen.trace_id
WHERE traces.changed_at > ?
  AND 50 <= (SELECT count(*) FROM trace_facts AS earlier
             WHERE earlier.agent = first_seen.agent AND earlier.started_at < trace_facts.started_at)
ORDER BY first_seen.trace_id, first_seen.claim;
