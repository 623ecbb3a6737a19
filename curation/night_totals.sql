-- How many traces of each agent were there, by night and model: all, and without an outage?
SELECT agent, strftime(started_at, '%Y-%m-%d') AS night, model, count(*),
       count(*) FILTER (NOT met_outage)
FROM trace_facts
GROUP BY ALL
ORDER BY ALL;
