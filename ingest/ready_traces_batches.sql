-- Of which batches are traces ready?
SELECT DISTINCT changed_at FROM trace_rows WHERE changed_at < 0 ORDER BY changed_at DESC;
