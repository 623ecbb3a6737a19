-- Which rows of ready_traces come from these traces?
DELETE FROM ready_traces WHERE id IN (SELECT unnest(?::VARCHAR[]));
