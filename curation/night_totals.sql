-- How many traces of each agent were there, by night and model: all, and without an outage?
SELECT agent, strftime(night, '%Y-%m-%d'), model, traces, sound
FROM (
    SELECT agent, started_at::DATE AS night, model, count(*) AS traces,
           count(*) FILTER (NOT met_outage) AS sound
    FROM trace_facts
    GROUP BY ALL
)
ORDER BY ALL;
