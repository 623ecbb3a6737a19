-- How many sayings have there been?
SELECT coalesce(max(arrival), 0) FROM feedback;
