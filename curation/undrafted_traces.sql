-- Which are the next so many traces ($5) after this one (commit $1, id $2) that were not drafted by
-- these rules ($3) as they are: they, their user or what is found in them changed, feedback of theirs
-- is heard that was not, or the reverse ($4), or their environment failed? Of how many, and was each
-- drafted before? A trace without a user is of the user of its session.
WITH found AS (
    SELECT trace_id, bit_xor(hash(id)) AS findings FROM findings GROUP BY trace_id
), sessions AS (
    SELECT session_id, min(user_id) AS user_id FROM traces
    WHERE session_id IS NOT NULL AND user_id IS NOT NULL
    GROUP BY session_id
)
SELECT traces.id, traces.changed_at, coalesce(found.findings, 0),
       coalesce(traces.user_id, sessions.user_id), drafts.trace_id IS NOT NULL, count(*) OVER ()
FROM traces
LEFT JOIN found ON found.trace_id = traces.id
LEFT JOIN sessions ON traces.user_id IS NULL AND sessions.session_id = traces.session_id
LEFT JOIN drafts ON drafts.trace_id = traces.id
WHERE (traces.changed_at > $1 OR (traces.changed_at = $1 AND traces.id > $2))
  AND (drafts.trace_id IS NULL
       OR drafts.rules <> $3
       OR drafts.changed_at <> traces.changed_at
       OR drafts.findings <> coalesce(found.findings, 0)
       OR drafts.user_id IS DISTINCT FROM coalesce(traces.user_id, sessions.user_id)
       OR NOT drafts.is_settled
       OR traces.id IN (SELECT unnest($4::VARCHAR[])))
ORDER BY traces.changed_at, traces.id
LIMIT $5;
