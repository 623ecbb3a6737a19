-- Which traces are open?
SELECT trace_id, spans FROM open_traces ORDER BY first_arrival, trace_id;
