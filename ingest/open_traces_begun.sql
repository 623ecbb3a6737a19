-- Of which of these traces did spans come before this batch?
SELECT trace_id FROM open_traces WHERE trace_id IN (SELECT unnest(?::VARCHAR[])) AND first_batch < ?;
