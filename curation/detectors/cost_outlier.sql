-- Which traces changed since (the parameter) took far more US dollars than their peers?
-- Peers: traces of the same agent and task, at least 20 of them. Far more: above the median by
-- over 6 robust standard deviations (the middle half of the values spans 1.349 of them), and over
-- twice it.
WITH peers AS (
    SELECT agent, task, traces, quartiles[2] AS typical, (quartiles[3] - quartiles[1]) / 1.349 AS spread
    FROM (
        SELECT agent, task, count(*) AS traces, quantile_cont(cost_usd, [0.25, 0.5, 0.75]) AS quartiles
        FROM trace_facts
        WHERE cost_usd IS NOT NULL
        GROUP BY agent, task
        HAVING count(*) >= 20
    )
)
SELECT trace_facts.trace_id, trace_facts.cost_usd, peers.typical, peers.traces
FROM trace_facts
JOIN peers ON trace_facts.agent = peers.agent AND trace_facts.task IS NOT DISTINCT FROM peers.task
JOIN traces ON traces.id = trace_facts.trace_id
WHERE traces.changed_at > ?
  AND trace_facts.cost_usd > peers.typical + 6 * peers.spread
  AND trace_facts.cost_usd > 2 * peers.typical
ORDER BY trace_facts.trace_id;
