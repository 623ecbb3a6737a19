-- What came in these batches (first, last)?
SELECT trace_id, body FROM fragments WHERE batch BETWEEN ? AND ?;
