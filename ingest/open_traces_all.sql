-- Which traces are open?
SELECT trace_id, spans, first_batch, last_batch FROM open_traces ORDER BY first_arrival, trace_id
LIMIT ?;
