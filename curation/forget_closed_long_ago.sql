-- Which rows of closed_long_ago come from these traces?
DELETE FROM closed_long_ago WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
