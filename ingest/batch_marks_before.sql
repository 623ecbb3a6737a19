-- Which batch is known to have been written by then, and when was that noted?
SELECT max(batch), max(marked_at) FROM batch_marks WHERE marked_at <= ?;
