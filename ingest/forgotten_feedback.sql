-- What was said of forgotten users' traces, by one of these names?
DELETE FROM feedback
WHERE target IN (SELECT unnest(?::VARCHAR[]))
  AND sha256(target) IN (SELECT digest FROM forgotten_names);
