-- Which rows of known_words come from these traces?
DELETE FROM known_words WHERE trace_id IN (SELECT unnest(?::VARCHAR[]));
