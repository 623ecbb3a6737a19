-- Which findings of these detectors (names, versions, since) come from another version of theirs,
-- or from traces changed since?
DELETE FROM findings
WHERE (list_contains($1::VARCHAR[], detector)
       AND trace_id IN (SELECT id FROM traces WHERE changed_at > $3))
   OR (list_contains($1::VARCHAR[], detector)
       AND detector_version <> list_extract($2::INTEGER[], list_position($1::VARCHAR[], detector)));
