-- Which dead letters may be tried again? Parameters: ids, or an empty list for all.
SELECT id, topic, "partition", "offset", path, reject_class, reason, decoder, recorded_at, attempts,
       value_bytes, replayed_at, timestamp_ms, record_key, headers, record_value, value_sha256
FROM dead_letters
WHERE replayed_at IS NULL AND (len(?::VARCHAR[]) = 0 OR id IN (SELECT unnest(?::VARCHAR[])))
ORDER BY topic, "partition", "offset", path;
