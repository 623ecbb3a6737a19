-- Which open traces have been quiet for long enough, or waited for too long, by this clock (ms)?
-- Parameters: topics, their quiet times (ms), their longest waits; the clock and the general quiet
-- time, the clock and the general longest wait; how many at most.
WITH own AS (
    SELECT unnest(?::VARCHAR[]) AS topic, unnest(?::BIGINT[]) AS quiet, unnest(?::BIGINT[]) AS wait
)
SELECT o.trace_id, o.spans, o.first_batch, o.last_batch
FROM open_traces o LEFT JOIN own USING (topic)
WHERE (o.has_root AND ? - o.last_arrival >= coalesce(own.quiet, ?))
   OR ? - o.first_arrival >= coalesce(own.wait, ?)
ORDER BY o.first_arrival, o.trace_id
LIMIT ?;
