-- Which spans, in batches to this one, are of traces that were closed long ago?
DELETE FROM fragments WHERE batch <= ? AND trace_id IN (SELECT trace_id FROM closed_long_ago);
