-- Which of these traces are ready? (first and last batch, ids)
SELECT id FROM trace_rows
WHERE changed_at BETWEEN -?::BIGINT AND -?::BIGINT AND id IN (SELECT unnest(?::VARCHAR[]));
