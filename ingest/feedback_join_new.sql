-- Which traces do the sayings since this arrival speak of? By id, else another id, else session.
WITH waiting AS (
    SELECT DISTINCT target, created_at FROM feedback WHERE trace_id IS NULL AND arrival > ?
),
named AS (
    SELECT w.target, w.created_at, t.id, t.started_at, 1 AS rung
    FROM waiting w JOIN traces t ON t.id = w.target
    UNION ALL
    SELECT w.target, w.created_at, a.id, a.started_at, 2
    FROM waiting w JOIN (SELECT id, started_at, unnest(aliases) AS alias FROM traces) a ON a.alias = w.target
    UNION ALL
    SELECT w.target, w.created_at, t.id, t.started_at, 3
    FROM waiting w JOIN traces t ON t.session_id = w.target AND t.started_at <= w.created_at
),
chosen AS (
    SELECT target, created_at, id FROM named
    QUALIFY row_number() OVER (PARTITION BY target, created_at ORDER BY rung, started_at DESC) = 1
)
UPDATE feedback SET trace_id = chosen.id
FROM chosen
WHERE feedback.trace_id IS NULL AND feedback.target = chosen.target
  AND feedback.created_at = chosen.created_at
RETURNING feedback.trace_id;
