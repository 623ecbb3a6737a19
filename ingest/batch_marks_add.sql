-- How far had batches come now ($1)? Noted unless it was noted lately (after $2).
INSERT INTO batch_marks
SELECT $1, coalesce(max(batch), 0) FROM fragments
HAVING NOT EXISTS (SELECT 1 FROM batch_marks WHERE marked_at > $2);
