-- Which traces are of this user, those still open among them, too?
SELECT id FROM trace_rows WHERE user_id = ? ORDER BY id;
