-- What do these traces hold, which these commits (first, last, both inclusive) left?
SELECT body FROM traces
WHERE id IN (SELECT unnest(?::VARCHAR[])) AND changed_at BETWEEN ? AND ?
ORDER BY changed_at, started_at, id;
