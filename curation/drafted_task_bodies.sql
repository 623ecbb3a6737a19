-- What are these drafted tasks, and of which tenant?
SELECT body, trace_id, tenant FROM drafted_tasks WHERE id IN (SELECT unnest(?::VARCHAR[])) ORDER BY id;
