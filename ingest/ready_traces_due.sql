-- Which of these open traces are ready, and nothing else came of them? (first and last batch, ids)
SELECT r.id
FROM ready_traces r JOIN open_traces o ON o.trace_id = r.id AND o.first_batch = r.batch AND o.last_batch = r.batch
WHERE r.batch BETWEEN ? AND ? AND r.id IN (SELECT unnest(?::VARCHAR[]))
  AND NOT EXISTS (SELECT 1 FROM traces t WHERE t.id = r.id);
