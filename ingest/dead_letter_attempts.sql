-- How often were these dead letters tried?
SELECT id, attempts FROM dead_letters WHERE id IN (SELECT unnest(?::VARCHAR[]));
