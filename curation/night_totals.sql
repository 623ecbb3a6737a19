-- How many traces of each agent were there, by night and model: all, and without an outage?
SELECT agent, night, model, traces, sound FROM night_counts ORDER BY ALL;
