-- Is any trace ready?
SELECT 1 FROM ready_traces LIMIT 1;
