-- Which records could not become traces, newest first? Parameters: a class or NULL, how many.
SELECT id, topic, "partition", "offset", path, reject_class, reason, decoder, recorded_at, attempts,
       value_bytes, replayed_at
FROM dead_letters
WHERE reject_class = coalesce(?, reject_class)
ORDER BY recorded_at DESC, topic, "partition", "offset" DESC, path
LIMIT ?;
