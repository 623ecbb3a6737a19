-- Which rows of trace_rows come from these traces?
DELETE FROM trace_rows WHERE id IN (SELECT unnest(?::VARCHAR[]));
