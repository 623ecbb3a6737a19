-- Which rows of findings come from these traces?
DELETE FROM findings WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
