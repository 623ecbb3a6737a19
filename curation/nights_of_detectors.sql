-- Of which nights are the traces in which these detectors found something?
SELECT DISTINCT night FROM trace_facts
WHERE trace_id IN (SELECT trace_id FROM findings WHERE list_contains(?::VARCHAR[], detector));
