-- What is said of these dead letters, and kept of their records?
SELECT id, path || ' ' || reason, record_key, headers, record_value FROM dead_letters
WHERE id IN (SELECT unnest(?::VARCHAR[]));
