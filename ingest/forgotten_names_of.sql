-- By which names may a span or a judgement speak of these traces?
WITH theirs AS (
    SELECT id, session_id, aliases FROM traces WHERE id IN (SELECT unnest($1::VARCHAR[]))
    UNION ALL
    SELECT id, session_id, aliases FROM ready_traces WHERE id IN (SELECT unnest($1::VARCHAR[]))
)
SELECT id FROM theirs UNION
SELECT session_id FROM theirs WHERE session_id IS NOT NULL UNION
SELECT unnest(aliases) FROM theirs;
