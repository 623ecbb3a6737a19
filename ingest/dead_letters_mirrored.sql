-- These dead letters were sent to the topic of dead letters.
UPDATE dead_letters SET mirrored_at = ? WHERE id IN (SELECT unnest(?::VARCHAR[]));
