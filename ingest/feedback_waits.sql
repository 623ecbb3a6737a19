-- Does any saying wait for its trace?
SELECT 1 FROM feedback WHERE trace_id IS NULL LIMIT 1;
