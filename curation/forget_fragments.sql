-- Which rows of fragments come from these traces?
DELETE FROM fragments WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
