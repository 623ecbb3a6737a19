-- What came of these traces in these batches (first, last), in order of arrival?
SELECT f.trace_id, f.topic, f."partition", f.first_offset, f.last_offset, f.spans, f.body, o.last_arrival
FROM fragments f JOIN open_traces o USING (trace_id)
WHERE f.batch BETWEEN ? AND ? AND f.trace_id IN (SELECT unnest(?::VARCHAR[]))
ORDER BY f.trace_id, f.batch, f.rowid;
