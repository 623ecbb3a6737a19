-- These traces wait no longer.
DELETE FROM open_traces WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
