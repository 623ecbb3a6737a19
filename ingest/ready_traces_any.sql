-- Is any trace ready?
SELECT 1 FROM trace_rows WHERE changed_at < 0 LIMIT 1;
