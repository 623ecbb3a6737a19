-- Which of these names ($1) belong to traces of this user ($2) alone? A session may be shared.
INSERT INTO forgotten_names
SELECT DISTINCT sha256(name) AS digest, $2 FROM (SELECT unnest($1::VARCHAR[]) AS name)
WHERE name NOT IN (
        SELECT session_id FROM traces
        WHERE session_id IN (SELECT unnest($1::VARCHAR[])) AND user_id IS DISTINCT FROM $2
    )
  AND sha256(name) NOT IN (SELECT digest FROM forgotten_names);
