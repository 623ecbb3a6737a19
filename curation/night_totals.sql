-- How many traces without an outage were there, by night and model?
SELECT strftime(started_at, '%Y-%m-%d') AS night,
       model_name || coalesce('@' || model_version, '') AS model,
       count(*)
FROM traces
WHERE id NOT IN (SELECT trace_id FROM findings WHERE kind = 'infrastructure')
GROUP BY ALL
ORDER BY ALL;
