-- Which rows of champion_tries come from these traces?
DELETE FROM champion_tries WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
