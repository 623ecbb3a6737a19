-- Which of these traces were closed so long ago that their spans are gone, and by when?
SELECT trace_id, max(closed_by) FROM closed_long_ago
WHERE trace_id IN (SELECT unnest(?::VARCHAR[])) GROUP BY trace_id;
