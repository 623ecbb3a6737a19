-- Which facts are of traces changed since?
DELETE FROM trace_facts WHERE trace_id IN (SELECT id FROM traces WHERE changed_at > ?);
