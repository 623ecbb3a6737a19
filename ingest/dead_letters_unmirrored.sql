-- Which dead letters, at most so many, were not sent to the topic of dead letters yet?
SELECT id, topic, "partition", "offset", path, reject_class, reason, decoder, recorded_at, attempts,
       value_bytes, replayed_at, timestamp_ms, record_key, headers, record_value, value_sha256
FROM dead_letters WHERE mirrored_at IS NULL ORDER BY recorded_at, id LIMIT ?;
