-- What was made ready of traces that are closed, or of which more came, is not needed any more.
DELETE FROM ready_traces
WHERE NOT EXISTS (
    SELECT 1 FROM open_traces o WHERE o.trace_id = ready_traces.id AND o.last_batch = ready_traces.batch
);
