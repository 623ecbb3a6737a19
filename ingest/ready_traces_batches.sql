-- Of which batches are traces ready?
SELECT DISTINCT batch FROM ready_traces ORDER BY batch;
