-- Which judgements without a pair were drafted, but of these traces?
SELECT body FROM drafted_thumbs WHERE trace_id NOT IN (SELECT unnest(?::VARCHAR[]));
