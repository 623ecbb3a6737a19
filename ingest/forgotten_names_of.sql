-- By which names may a span or a judgement speak of these traces, those still open among them, too?
WITH theirs AS (
    SELECT id, session_id, aliases FROM trace_rows WHERE id IN (SELECT unnest($1::VARCHAR[]))
)
SELECT id FROM theirs UNION
SELECT session_id FROM theirs WHERE session_id IS NOT NULL UNION
SELECT unnest(aliases) FROM theirs;
