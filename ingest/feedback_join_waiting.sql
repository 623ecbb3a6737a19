-- Which of the traces of this commit were spoken of before they came?
WITH arrived AS (SELECT id, session_id, started_at, aliases FROM traces WHERE changed_at = ?),
named AS (
    SELECT f.target, f.created_at, t.id, t.started_at, 1 AS rung
    FROM feedback f JOIN arrived t ON t.id = f.target WHERE f.trace_id IS NULL
    UNION ALL
    SELECT f.target, f.created_at, a.id, a.started_at, 2
    FROM feedback f JOIN (SELECT id, started_at, unnest(aliases) AS alias FROM arrived) a
      ON a.alias = f.target WHERE f.trace_id IS NULL
    UNION ALL
    SELECT f.target, f.created_at, t.id, t.started_at, 3
    FROM feedback f JOIN arrived t ON t.session_id = f.target AND t.started_at <= f.created_at
    WHERE f.trace_id IS NULL
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
