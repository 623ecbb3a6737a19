-- Which rows of drafted_thumbs come from these traces?
DELETE FROM drafted_thumbs WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
