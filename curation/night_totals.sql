-- How many traces of each agent were there, by night and model: all, and without an outage?
SELECT agent, strftime(started_at, '%Y-%m-%d') AS night, model, count(*),
       count(*) FILTER (
           trace_id NOT IN (SELECT trace_id FROM findings WHERE kind = 'infrastructure'))
FROM trace_facts
GROUP BY ALL
ORDER BY ALL;
