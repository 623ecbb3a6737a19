-- Which rows of trace_facts come from these traces?
DELETE FROM trace_facts WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
