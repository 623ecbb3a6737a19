-- Of which nights are these traces?
SELECT DISTINCT night FROM trace_facts WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
