-- Of which of these traces came something before: which are open, or were closed? (ids, ids)
-- Against a list the key is looked up; a join would read the ids of all traces there ever were.
SELECT trace_id FROM open_traces WHERE trace_id IN (SELECT unnest(?::VARCHAR[]))
UNION ALL
SELECT id FROM traces WHERE id IN ?::VARCHAR[];
