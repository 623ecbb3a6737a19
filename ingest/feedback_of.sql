-- What is said of these traces, and still stands?
SELECT trace_id, body
FROM feedback
WHERE trace_id IN (SELECT unnest(?::VARCHAR[]))
QUALIFY row_number() OVER (PARTITION BY id ORDER BY arrival DESC) = 1 AND NOT retracted
ORDER BY created_at, id;
