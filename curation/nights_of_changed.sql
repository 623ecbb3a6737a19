-- Of which nights are the mined traces that changed since?
SELECT DISTINCT night FROM trace_facts WHERE trace_id IN (SELECT id FROM traces WHERE changed_at > ?);
