-- How many primary keys does the store hold, but for a few?
SELECT (SELECT count(*) FROM trace_rows) + (SELECT count(*) FROM open_traces);
