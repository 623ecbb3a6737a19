-- These dead letters have become traces after all.
UPDATE dead_letters SET replayed_at = ? WHERE id IN (SELECT unnest(?::VARCHAR[]));
