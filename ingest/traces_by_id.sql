-- What do these traces hold?
SELECT body FROM traces WHERE id IN (SELECT unnest(?::VARCHAR[])) ORDER BY changed_at, started_at, id;
