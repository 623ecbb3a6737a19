-- How many traces of these nights were there, by agent and model: all, and without an outage?
INSERT INTO night_counts
SELECT agent, night, model, count(*), count(*) FILTER (NOT met_outage)
FROM trace_facts
WHERE list_contains(?::VARCHAR[], night)
GROUP BY ALL;
