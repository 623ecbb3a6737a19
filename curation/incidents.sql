-- Which outages came close together: the same claim, in traces that ended within ten minutes of
-- the one before, in at least so many traces (the parameter)?
WITH seen AS (
    SELECT detector, tool, claim, trace_id, seen_at,
           seen_at - lag(seen_at) OVER (PARTITION BY tool, claim ORDER BY seen_at, trace_id) AS gap
    FROM findings
    WHERE kind = 'infrastructure'
), grouped AS (
    SELECT tool, claim, trace_id, seen_at,
           count(*) FILTER (gap IS NULL OR gap > INTERVAL 10 MINUTE)
               OVER (PARTITION BY tool, claim ORDER BY seen_at, trace_id) AS burst
    FROM seen
)
SELECT claim, tool, min(seen_at), max(seen_at), count(DISTINCT trace_id),
       list(DISTINCT trace_id ORDER BY trace_id)[1:3]
FROM grouped
GROUP BY tool, claim, burst
HAVING count(DISTINCT trace_id) >= ?
ORDER BY min(seen_at), claim;
