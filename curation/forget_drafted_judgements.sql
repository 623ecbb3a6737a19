-- Which rows of drafted_judgements come from these traces?
DELETE FROM drafted_judgements WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
