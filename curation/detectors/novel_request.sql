-- Which requests in traces changed since (the parameter) used mostly words that no earlier request
-- to the agent had, after at least 100 earlier traces of the agent?
SELECT trace_facts.trace_id, trace_facts.unseen_share
FROM trace_facts
JOIN traces ON traces.id = trace_facts.trace_id
WHERE traces.changed_at > ?
  AND trace_facts.unseen_share >= 0.5
  AND 100 <= (SELECT count(*) FROM trace_facts AS earlier
              WHERE earlier.agent = trace_facts.agent
                AND earlier.started_at < trace_facts.started_at)
ORDER BY trace_facts.trace_id;
