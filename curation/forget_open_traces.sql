-- Which rows of open_traces come from these traces?
DELETE FROM open_traces WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
