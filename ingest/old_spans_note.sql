-- Of which traces that are not open are all spans in batches to this one? Parameters: the time by which
-- these were written, and the batch twice.
INSERT INTO closed_long_ago
SELECT DISTINCT trace_id, ?::TIMESTAMPTZ FROM fragments
WHERE batch <= ?
  AND trace_id NOT IN (SELECT trace_id FROM fragments WHERE batch > ?)
  AND trace_id NOT IN (SELECT trace_id FROM open_traces);
