-- Traces keep their rows under another name; what was made ready is made again as it closes.
ALTER TABLE traces RENAME TO trace_rows;
DROP TABLE IF EXISTS ready_traces;
