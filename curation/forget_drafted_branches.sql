-- Which rows of drafted_branches come from these traces?
DELETE FROM drafted_branches WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
