-- Which notes, to this one, have served?
DELETE FROM batch_marks WHERE marked_at <= ?;
