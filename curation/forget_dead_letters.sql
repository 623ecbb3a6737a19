-- Which dead letters name this user?
DELETE FROM dead_letters
WHERE contains(coalesce(record_key::VARCHAR, ''), $1) OR contains(headers, $1)
   OR contains(coalesce(record_value::VARCHAR, ''), $1);
