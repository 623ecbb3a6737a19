-- Which spans came of these traces?
DELETE FROM fragments WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
