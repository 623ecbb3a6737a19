-- Which findings of these detectors (names) are of traces changed since?
DELETE FROM findings
WHERE list_contains($1::VARCHAR[], detector)
  AND trace_id IN (SELECT id FROM traces WHERE changed_at > $2);
