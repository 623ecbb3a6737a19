-- Which rows of drafted_tasks come from these traces?
DELETE FROM drafted_tasks WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
