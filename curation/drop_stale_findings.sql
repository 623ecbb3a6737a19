-- Which findings of this detector (name, version, since) come from another version of it, or from traces changed since?
DELETE FROM findings
WHERE detector = ?
  AND (detector_version <> ? OR trace_id IN (SELECT id FROM traces WHERE changed_at > ?));
