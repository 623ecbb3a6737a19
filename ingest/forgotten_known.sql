-- Which of these digests are of names that belong to forgotten users?
SELECT DISTINCT digest FROM forgotten_names WHERE digest IN (SELECT unnest(?::VARCHAR[]));
