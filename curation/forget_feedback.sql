-- Which rows of feedback come from these traces?
DELETE FROM feedback WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
