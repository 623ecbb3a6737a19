-- What was made ready of these traces is not needed any more.
DELETE FROM ready_traces WHERE id IN (SELECT unnest(?::VARCHAR[]));
