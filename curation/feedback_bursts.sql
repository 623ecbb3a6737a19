-- Which feedback of one user (the trace's) in one day goes beyond so many (the parameter) of them?
-- Of what was said again under one id only the last counts.
WITH standing AS (
    SELECT id, trace_id, created_at, strftime(created_at, '%Y-%m-%d') AS day
    FROM feedback
    QUALIFY row_number() OVER (PARTITION BY id ORDER BY arrival DESC) = 1 AND NOT retracted
)
SELECT standing.trace_id, standing.id, traces.user_id, day
FROM standing
JOIN traces ON traces.id = standing.trace_id
WHERE traces.user_id IS NOT NULL
QUALIFY row_number() OVER (
    PARTITION BY traces.user_id, day ORDER BY standing.created_at, standing.id) > ?
ORDER BY traces.user_id, day, standing.id;
