-- Spans of these traces came: which of them wait for more, and since when?
-- A trace that was closed before needs no root again. Parameters are lists: trace ids, topics,
-- first and last record times (ms), whether a root was among them, counts of spans.
INSERT INTO open_traces
SELECT a.trace_id, a.topic, a.first_arrival, a.last_arrival,
       a.has_root OR EXISTS (SELECT 1 FROM traces t WHERE t.id = a.trace_id), a.spans
FROM (
    SELECT unnest(?::VARCHAR[]) AS trace_id, unnest(?::VARCHAR[]) AS topic,
           unnest(?::BIGINT[]) AS first_arrival, unnest(?::BIGINT[]) AS last_arrival,
           unnest(?::BOOLEAN[]) AS has_root, unnest(?::BIGINT[]) AS spans
) a
ON CONFLICT (trace_id) DO UPDATE SET
    first_arrival = least(open_traces.first_arrival, excluded.first_arrival),
    last_arrival = greatest(open_traces.last_arrival, excluded.last_arrival),
    has_root = open_traces.has_root OR excluded.has_root,
    spans = open_traces.spans + excluded.spans;
