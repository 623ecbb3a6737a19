-- How many traces are open?
SELECT count(*) FROM open_traces;
