-- How many spans, in batches to this one, are of traces that were closed long ago?
SELECT coalesce(sum(spans), 0) FROM fragments
WHERE batch <= ? AND trace_id IN (SELECT trace_id FROM closed_long_ago);
