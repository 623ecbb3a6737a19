-- These ready traces are closed, as of this commit: (commit, first and last batch, ids)
UPDATE trace_rows SET changed_at = ?
WHERE changed_at BETWEEN -?::BIGINT AND -?::BIGINT AND id IN (SELECT unnest(?::VARCHAR[]));
