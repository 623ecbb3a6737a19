-- What is known of the dead letter whose id begins so?
SELECT id, topic, "partition", "offset", path, reject_class, reason, decoder, recorded_at, attempts,
       value_bytes, replayed_at, timestamp_ms, record_key, headers, record_value, value_sha256
FROM dead_letters WHERE starts_with(id, ?) ORDER BY id LIMIT 2;
