-- Which findings of these detectors (names, versions) come from another version of theirs?
DELETE FROM findings
WHERE list_contains($1::VARCHAR[], detector)
  AND detector_version <> list_extract($2::INTEGER[], list_position($1::VARCHAR[], detector));
