-- More spans of these traces came: which of them wait for more still, and since when?
-- A trace that was closed before needs no root again. Parameters: the number of the batch, then lists:
-- trace ids, topics, first and last record times (ms), whether a root was among them, counts of spans.
INSERT INTO open_traces
SELECT a.trace_id, a.topic, a.first_arrival, a.last_arrival, a.has_root OR t.id IS NOT NULL, a.spans,
       CASE WHEN t.id IS NULL THEN a.batch ELSE 0 END, a.batch
FROM (
    SELECT ?::BIGINT AS batch, unnest(?::VARCHAR[]) AS trace_id, unnest(?::VARCHAR[]) AS topic,
           unnest(?::BIGINT[]) AS first_arrival, unnest(?::BIGINT[]) AS last_arrival,
           unnest(?::BOOLEAN[]) AS has_root, unnest(?::BIGINT[]) AS spans
) a LEFT JOIN traces t ON t.id = a.trace_id
ON CONFLICT (trace_id) DO UPDATE SET
    first_arrival = least(open_traces.first_arrival, excluded.first_arrival),
    last_arrival = greatest(open_traces.last_arrival, excluded.last_arrival),
    has_root = open_traces.has_root OR excluded.has_root,
    spans = open_traces.spans + excluded.spans,
    first_batch = least(open_traces.first_batch, excluded.first_batch),
    last_batch = greatest(open_traces.last_batch, excluded.last_batch);
