-- Spans of these traces came: which of them wait for more, and since when?
-- Parameters are lists: trace ids, topics, record times (ms), whether a root was among them, counts.
INSERT INTO open_traces
SELECT unnest(?::VARCHAR[]), unnest(?::VARCHAR[]), unnest(?::BIGINT[]) AS first_arrival,
       unnest(?::BIGINT[]) AS last_arrival, unnest(?::BOOLEAN[]), unnest(?::BIGINT[])
ON CONFLICT (trace_id) DO UPDATE SET
    first_arrival = least(open_traces.first_arrival, excluded.first_arrival),
    last_arrival = greatest(open_traces.last_arrival, excluded.last_arrival),
    has_root = open_traces.has_root OR excluded.has_root,
    spans = open_traces.spans + excluded.spans;
